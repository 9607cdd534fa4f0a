const QUOTE = 0x22
const COMMA = 0x2c
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const BRACE = 0x7b

/** Bytes that V8 needs for a value in addition to its text, for an object, an array, a string, a slot with a number. */
const OBJECT = 72
const ARRAY = 48
const STRING = 24
const SLOT = 24

/**
 * Upper estimate of the memory that a JSON text needs once it is parsed, in bytes. The text may be invalid.
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
