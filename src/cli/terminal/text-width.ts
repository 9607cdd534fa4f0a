import stringWidth from 'string-width'

const ASCII = /^[\x20-\x7e]*$/
/** SARA AM of Thai and Lao takes a column of its own, which `string-width` does not count. */
const SARA_AM = /[\u0e33\u0eb3]/g

let segmenter: Intl.Segmenter | undefined

/** Width of a line in terminal columns. Colours have no width. */
export function displayWidth(text: string): number {
  return stringWidth(text.replaceAll(SARA_AM, '.'))
}

/** The line, truncated with an ellipsis if wider than `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (text.length <= columns && ASCII.test(text)) return text
  let width = 0
  let cut = ''
  let whole = ''
  for (const character of characters(text)) {
    width += displayWidth(character)
    if (width > columns) return `${cut}…`
    whole += character
    // Leaves room for the ellipsis.
    if (width < columns) cut = whole
  }
  return text
}

/** Wraps a text to `columns` between words. A longer word gets its own line. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > columns) {
      lines.push(line)
      line = word
    } else {
      line = longer
    }
  }
  return [...lines, line]
}

/** User-perceived characters, each of one or more code points. */
export function* characters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) yield segment
}
