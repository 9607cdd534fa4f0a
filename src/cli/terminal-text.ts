/** Whole escape sequences: a cursor movement, a colour, a window title. Without ESC they would be left as litter. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g
/**
 * C0 but tab and newline, DEL, C1, line ends that are none in JSON, what reorders the text around it, and what nobody
 * sees. (Joiners stay: other scripts and emoji are made with them.)
 */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g
const BLANKS = /[\s\u0085]+/g

/** A text from elsewhere as it may reach a terminal: it can be read, and commands nothing. Lines stay lines. */
export function toTerminalText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, '')
}

/** The same on one line. */
export function toTerminalLine(text: string): string {
  return toTerminalText(text).replace(BLANKS, ' ').trim()
}

/** JSON as it may reach a terminal: the same value, with those characters written as escapes. */
export function toTerminalJson(json: string): string {
  return json.replace(/\r\n?/g, '\n').replace(CONTROLS, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
