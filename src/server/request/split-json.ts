import { invalidJson, readJson, startsWithMark } from './read-json.js'

/** The first byte that is neither a blank nor part of a byte order mark; -1 if there is none. */
export function firstByte(bytes: Buffer): number {
  for (let i = startsWithMark(bytes) ? 3 : 0; i < bytes.length; i++) if (!isBlank(bytes[i])) return bytes[i] ?? -1
  return -1
}

/** The non-blank lines of a text, as views on it. */
export function* splitLines(bytes: Buffer): Generator<Buffer> {
  for (let start = startsWithMark(bytes) ? 3 : 0; start < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, start)
    const end = feed === -1 ? bytes.length : feed
    const line = bytes.subarray(start, end)
    if (firstByte(line) !== -1) yield line
    start = end + 1
  }
}

/**
 * The elements of a JSON array, as views on its text, so that each can be parsed alone. The text of the elements is not
 * validated; if all elements are valid, the array is.
 *
 * @throws AppError `invalid/invalid_json` if the array does not end, or something follows it
 */
export function* splitArray(bytes: Buffer): Generator<Buffer> {
  const start = bytes.indexOf(0x5b) + 1
  const end = endOfElements(bytes, start)
  if (bytes[end] !== 0x5d || firstByte(bytes.subarray(end + 1)) !== -1) {
    readJson(bytes)
    throw invalidJson('the array does not end where it should')
  }
  if (firstByte(bytes.subarray(start, end)) !== -1) yield* splitElements(bytes.subarray(start, end))
}

/** JSON texts joined by commas, one by one. */
export function* splitElements(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start <= bytes.length; ) {
    const end = endOfElement(bytes, start)
    yield bytes.subarray(start, end)
    start = end + 1
  }
}

function endOfElements(bytes: Buffer, start: number): number {
  let end = endOfElement(bytes, start)
  while (bytes[end] === 0x2c) end = endOfElement(bytes, end + 1)
  return end
}

/** Index of the comma or bracket after the element that begins at `start`, or the length if there is none. */
function endOfElement(bytes: Buffer, start: number): number {
  let depth = 0
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === 0x22) {
      for (i++; i < bytes.length && bytes[i] !== 0x22; i++) if (bytes[i] === 0x5c) i++
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return i
      depth--
    } else if (byte === 0x2c && depth === 0) {
      return i
    }
  }
  return bytes.length
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
