/**
 * Complete escape sequences, such as a cursor movement, a colour, or a window title. Removing only ESC would leave the
 * rest visible.
 */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g
/**
 * C0 except tab and newline, DEL, C1, line separators that JSON does not escape, bidirectional controls, and invisible
 * characters. (Joiners stay, because other scripts and emoji need them.)
 */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g
const BLANKS = /[\s\u0085]+/g

/** Makes foreign text safe for a terminal: readable, without control sequences. Keeps line breaks. */
export function toTerminalText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, '')
}

/** The same as a single line. */
export function toTerminalLine(text: string): string {
  return toTerminalText(text).replace(BLANKS, ' ').trim()
}

/** Makes JSON safe for a terminal: the same value, with those characters escaped. */
export function toTerminalJson(json: string): string {
  return json.replace(/\r\n?/g, '\n').replace(CONTROLS, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Indented JSON, for responses without a better rendering. */
export function prettyJson(value: unknown): string {
  return toTerminalJson(JSON.stringify(value, null, 2))
}
