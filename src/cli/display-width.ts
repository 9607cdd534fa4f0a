/** Characters that take two columns: CJK and its neighbours, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
/** Characters that take none: they change the one before. */
const MARK = /\p{M}|\u200d|\u200b/u
const ASCII = /^[\x20-\x7e]*$/

/** How many columns of a terminal a line takes. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** The line, cut with an ellipsis where it is wider than `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let width = 0
  let cut = ''
  for (const character of text) {
    width += displayWidth(character)
    if (width > columns - 1) break
    cut += character
  }
  return `${cut}…`
}
