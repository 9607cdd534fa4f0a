/** Bounds of the parameter `fields`. */
export const FIELD_LIMITS = { names: 50, characters: 100 } as const

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN = new Set([0x7b, 0x5b])
const CLOSE = new Set([0x7d, 0x5d])
const [BEGIN, END, BETWEEN] = ['{', '}', ','].map(text => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/**
 * Keeps the members of events that have one of these names, in their order and with their bytes: nothing is parsed, so
 * numbers stay exactly as they are.
 *
 * @param items JSON objects, joined by commas
 */
export function pickMembers(items: Uint8Array, names: readonly string[]): Buffer {
  const bytes = Buffer.from(items.buffer, items.byteOffset, items.byteLength)
  const wanted = new Set(names.map(name => Buffer.from(JSON.stringify(name)).toString('latin1')))
  const picked: Buffer[] = []
  let depth = 0
  let memberStart = 0
  let hasMember = false
  const endMember = (end: number) => {
    const start = skipBlanks(bytes, memberStart, end)
    if (start === end) return // an object without members
    if (!wanted.has(bytes.toString('latin1', start, endOfString(bytes, start)))) return
    if (hasMember) picked.push(BETWEEN)
    picked.push(bytes.subarray(start, end))
    hasMember = true
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at = endOfString(bytes, at) - 1
    } else if (OPEN.has(byte)) {
      if (depth === 0) {
        picked.push(BEGIN)
        memberStart = at + 1
        hasMember = false
      }
      depth++
    } else if (CLOSE.has(byte)) {
      depth--
      if (depth > 0) continue
      endMember(at)
      picked.push(END)
    } else if (byte === COMMA) {
      if (depth === 0) picked.push(BETWEEN)
      if (depth !== 1) continue
      endMember(at)
      memberStart = at + 1
    }
  }
  return Buffer.concat(picked)
}

/** Index after the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let escapes = 0
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote + 1
  }
  return bytes.length
}

function skipBlanks(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] as number) <= 0x20) at++
  return at
}
