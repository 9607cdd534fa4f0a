import { contentOf, findContent } from '../event-digest.js'

/** Members that a ledger changes later, or that the chain of digests has itself. */
const CHANGING = ['"subscription_ids"', '"captured_at"', '"seen_count"', '"last_seen_at"']
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING = [0x7b, 0x5b]
const CLOSING = [0x7d, 0x5d]

/**
 * The part of a stored event that its digest covers (`contentOf`), for every release: older bodies have their members
 * in another order.
 *
 * @param body JSON without blanks
 */
export function normalContentOf(body: Buffer): Buffer {
  if (findContent(body)) return contentOf(body)
  const kept = [...members(body)].filter(
    member => !CHANGING.some(name => member.subarray(0, name.length).equals(Buffer.from(name))),
  )
  return Buffer.concat([
    Buffer.from('{'),
    ...kept.flatMap((member, at) => (at === 0 ? [member] : [Buffer.from(','), member])),
  ])
}

/** The members of a JSON object, as views on its text. */
function* members(body: Buffer): Generator<Buffer> {
  let depth = 0
  let isText = false
  let start = 1
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (OPENING.includes(byte)) depth++
    else if (CLOSING.includes(byte)) depth--
    else if (byte === COMMA && depth === 1) {
      yield body.subarray(start, at)
      start = at + 1
    }
  }
  if (body.length > start + 1) yield body.subarray(start, -1)
}
