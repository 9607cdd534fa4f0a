/**
 * The signature of a text: a set of numbered columns, some for each sequence of one to four characters (units of
 * UTF-16). A text that contains a term has every column of the term. Few other texts have all of them; the store reads
 * these to check them.
 *
 * Source: BitFunnel (Goodwin et al., SIGIR 2017); docs/decisions/0036.
 */

/** Powers of two. Column `c` of a longer signature is column `c % length` of a shorter one. */
export const SIGNATURE_LENGTH = { least: 512, most: 65_536 } as const

/** Length for each column that is set, so that 35 % are set at most. */
const LENGTH_PER_COLUMN = 1 / -Math.log(1 - 0.35)
/** Largest size as a share of the body's size, so that the index stays small. A denser signature only narrows less. */
const LARGEST_SHARE = 1 / 3
/** Maximum number of columns searched: further columns would hardly narrow a search. */
const SEARCHED = { ofTerm: 24, together: 64 } as const

/** Characters of a sequence. */
const LONGEST = 4
/** First code point of the scripts whose characters are each rare (CJK radicals, kana, ideographs, Hangul). */
const FIRST_IDEOGRAPH = 0x2e80

export interface TextSignature {
  length: number
  /** Columns for the longest signature. Valid until the next signature is made. */
  columns: Uint16Array
}

/** Marks the columns of the current text, so that each is listed once. */
const isSet = new Uint8Array(SIGNATURE_LENGTH.most)
const list = new Uint16Array(SIGNATURE_LENGTH.most)

/**
 * @param text folded
 * @param bodyBytes of the whole event
 */
export function signatureOf(text: string, bodyBytes: number): TextSignature {
  let size = 0
  for (let start = 0; start < text.length; start++) {
    let mixed = 0
    for (let length = 1; length <= LONGEST && start + length <= text.length; length++) {
      const unit = text.charCodeAt(start + length - 1)
      mixed = extended(mixed, unit)
      // Without a loop over the columns, a signature takes a third less time.
      size = addToList(size, columnOf(mixed, 0))
      if (columnsOfSequence(length, unit) === 1) continue
      size = addToList(size, columnOf(mixed, 1))
      size = addToList(size, columnOf(mixed, 2))
    }
  }
  const columns = list.subarray(0, size)
  for (let at = 0; at < size; at++) isSet[columns[at] as number] = 0
  const most = Math.min(SIGNATURE_LENGTH.most, bodyBytes * 8 * LARGEST_SHARE)
  let length: number = SIGNATURE_LENGTH.least
  while (length < size * LENGTH_PER_COLUMN && length * 2 <= most) length *= 2
  return { length, columns }
}

/** Adds a column to the list, unless it is there. @returns the new size of the list */
function addToList(size: number, column: number): number {
  if (isSet[column]) return size
  isSet[column] = 1
  list[size] = column
  return size + 1
}

/**
 * The columns of the longest signature that every text with these terms has, the most selective first.
 *
 * @param terms folded
 */
export function columnsOfTerms(terms: readonly string[]): number[] {
  const each = terms.map(columnsOfTerm)
  const columns = new Set<number>()
  for (let at = 0; at < SEARCHED.ofTerm; at++) {
    for (const { [at]: column } of each) if (column !== undefined) columns.add(column)
  }
  return [...columns].slice(0, SEARCHED.together)
}

/** Long sequences are rarer, so they are first. */
function columnsOfTerm(term: string): number[] {
  const byLength: number[][] = Array.from({ length: LONGEST }, () => [])
  for (let start = 0; start < term.length; start++) {
    let mixed = 0
    for (let length = 1; length <= LONGEST && start + length <= term.length; length++) {
      const unit = term.charCodeAt(start + length - 1)
      mixed = extended(mixed, unit)
      for (let nth = 0; nth < columnsOfSequence(length, unit); nth++)
        byLength[LONGEST - length]?.push(columnOf(mixed, nth))
    }
  }
  return byLength.flat()
}

/** The number of a sequence that is one character longer. */
function extended(mixed: number, unit: number): number {
  return hash((mixed + 0x9e3779b9) ^ unit)
}

/**
 * A word of two or three letters needs several columns to be rare. A single letter narrows little, and a sequence of
 * four contains two of three.
 */
function columnsOfSequence(length: number, unit: number): 1 | 3 {
  return length === 2 || length === 3 || (length === 1 && unit >= FIRST_IDEOGRAPH) ? 3 : 1
}

/** @param nth 0 to 2 */
function columnOf(mixed: number, nth: number): number {
  return (nth === 0 ? mixed : nth === 1 ? mixed >>> 16 : hash(mixed)) & 0xffff
}

/** The finaliser of MurmurHash3: every bit of the value changes about half of the result. */
function hash(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}
