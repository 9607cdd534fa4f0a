const ASCII = /^[\x20-\x7e]*$/
/** Colours have no width. */
const COLOUR = /\x1b\[[\d;]*m/g
/** Characters two columns wide, by Unicode's East Asian Width: CJK and its neighbours. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
/** Characters without width: they modify the previous one, or complete a Hangul syllable. */
const MARK = /[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]/u
/** A flag is two letters, a keycap a sign in a frame; others are emoji by default, or become one with U+FE0F. */
const PICTURE = /^\p{RI}\p{RI}|\u20e3$|^\p{Extended_Pictographic}\ufe0f|^\p{Emoji_Presentation}(?<!\p{RI})/u

let segmenter: Intl.Segmenter | undefined

/** Width of a line in terminal columns. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of characters(text.replaceAll(COLOUR, ''))) width += characterWidth(character)
  return width
}

/** The line, truncated with an ellipsis if wider than `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (text.length <= columns && ASCII.test(text)) return text
  let width = 0
  let cut = ''
  let whole = ''
  for (const character of characters(text)) {
    width += characterWidth(character)
    if (width > columns) return `${cut}…`
    whole += character
    // Leaves room for the ellipsis.
    if (width < columns) cut = whole
  }
  return text
}

/** User-perceived characters, of however many code points. */
export function* characters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) yield segment
}

function characterWidth(character: string): number {
  if (PICTURE.test(character)) return 2
  let width = 0
  for (const point of character) {
    width += MARK.test(point) ? 0 : WIDE.test(point) ? 2 : 1
    // Joined emoji count as one.
    if (/\p{Extended_Pictographic}/u.test(point)) break
  }
  return width
}
