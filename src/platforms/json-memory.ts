const QUOTE = 0x22
const COMMA = 0x2c
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const BRACE = 0x7b

/** Bytes that a value takes in V8 besides its own text: an object, an array, a string, a slot with a number in it. */
const OBJECT = 72
const ARRAY = 48
const STRING = 24
const SLOT = 24

/**
 * About how much memory the values of a JSON text take once they are parsed, in bytes, at least as much as it is. The
 * text itself need not be valid.
 */
export function parsedMemory(json: Uint8Array): number {
  let bytes = json.length
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) {
      inString = true
      bytes += STRING
    } else if (byte === COMMA) {
      bytes += SLOT
    } else if (byte === BRACE) {
      bytes += OBJECT
    } else if (byte === BRACKET) {
      bytes += ARRAY
    }
  }
  return bytes
}
