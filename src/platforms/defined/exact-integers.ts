/** A double represents integers with fewer digits exactly. */
const DIGITS = 16
const LONG = /\d{16}/u
const INTEGER = /^-?\d+$/u
/** Length of digits and sign. Every longer integer changes. */
const MOST_EXACT = 20

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

/**
 * Turns integers that a double cannot represent into texts, in a JSON text. Some services have ids of 18 digits, of
 * which two would become equal.
 *
 * @param json valid JSON
 */
export function withExactIntegers(json: string): string {
  if (!hasLongDigits(json)) return json
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

/**
 * Checks only every sixteenth character: any 16 digits in a row include one of these. The digits may also be part of a
 * text.
 */
function hasLongDigits(json: string): boolean {
  for (let at = DIGITS - 1; at < json.length; at += DIGITS) {
    if (isDigit(json.charCodeAt(at)) && LONG.test(json.slice(at - DIGITS + 1, at + DIGITS))) return true
  }
  return false
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
  if (token.length < DIGITS || !INTEGER.test(token)) return false
  return token.length > MOST_EXACT || BigInt(Number(token)) !== BigInt(token)
}
