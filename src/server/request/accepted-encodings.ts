export type Encoding = 'br' | 'gzip'

/** Best first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** The supported encodings that the header accepts, best first. Source: RFC 9110, section 12.5.3. */
export function acceptedEncodings(header: string | string[] | undefined): Encoding[] {
  const accepted = listedNames(header).map(name => {
    const [coding = '', quality = ''] = name.toLowerCase().split(';', 2)
    return /^\s*q=0(?:\.0*)?\s*$/.test(quality) ? '' : coding.trim()
  })
  return ENCODINGS.filter(encoding => accepted.includes(encoding))
}

/** The members of a header that is a list, without the mark of a weak entity tag. */
export function listedNames(list: string | string[] | undefined): string[] {
  return String(list ?? '')
    .split(',')
    .map(name => name.trim().replace(/^W\//, ''))
}
