/** An integer with sixteen digits: only longer ones can change as a double. It may also be inside a text. */
const SUSPECT = /[:[,\s]-?\d{16}/
const INTEGER = /^-?\d+$/u
/** Digits and a sign. Every longer integer changes. */
const MOST_EXACT = 20

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

/**
 * A JSON text whose integers that a double cannot represent are texts: some services have ids of 18 digits, of which two would
 * become one.
 *
 * @param json valid JSON
 */
export function withExactIntegers(json: string): string {
  if (!SUSPECT.test(json)) return json
  let exact = ''
  let copied = 0
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at)
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(json, at)
      const token = json.slice(at, end)
      if (changes(token)) {
        exact += `${json.slice(copied, at)}"${token}"`
        copied = end
      }
      at = end
    } else at += 1
  }
  return exact + json.slice(copied)
}

function endOfText(json: string, from: number): number {
  let at = from + 1
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at + 1
}

function endOfNumber(json: string, from: number): number {
  let at = from + 1
  while (isDigit(json.charCodeAt(at)) || '+-.eE'.includes(json[at] ?? ' ')) at += 1
  return at
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function changes(token: string): boolean {
  if (token.length < 16 || !INTEGER.test(token)) return false
  return token.length > MOST_EXACT || BigInt(Number(token)) !== BigInt(token)
}
