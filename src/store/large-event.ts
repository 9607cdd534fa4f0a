/**
 * Events that are too large to parse in one step. Only webhooks deliver them: an event of the API is smaller. Code that
 * reads one leaves the payload out, or reads it in slices.
 */
import type { StoredEvent } from '../model/events/event.js'
import { EVENT_LIMITS } from '../model/events/event-limits.js'
import { foldCase } from '../model/events/search.js'

export const LARGE_EVENT_BYTES = EVENT_LIMITS.bytes

/** Size of each end of a large event. Without its payload, an event is smaller. */
export const EDGE_BYTES = 2 * 1024 * 1024

const PAYLOAD = ',"payload":{'
/** The member after the payload, in this release and in older ones. */
const AFTER_PAYLOAD = [',"provenance":{', ',"subscription_ids":[']
const EDGE_MEMBERS: readonly (keyof StoredEvent)[] = [
  ...(['source', 'kind', 'subject_id', 'actor', 'target', 'conversation', 'subscription_ids', 'provenance'] as const),
]

/** An event in memory with an empty payload; undefined if its ends do not contain the rest. */
export function findOutline(body: Buffer): StoredEvent | undefined {
  return outlineOf(body.subarray(0, EDGE_BYTES), body.subarray(-EDGE_BYTES))
}

/** The same, from the two ends of an event. */
export function outlineOf(head: Buffer, tail: Buffer): StoredEvent | undefined {
  const payloadEnd = Math.min(...AFTER_PAYLOAD.map(member => tail.lastIndexOf(member)))
  const after = readJson(`{${tail.toString('utf8', payloadEnd + 1)}`)
  // Quotes inside a string are escaped, so every match is a member; a nested one leaves a brace open.
  for (let end = head.indexOf(PAYLOAD); end !== -1 && after; end = head.indexOf(PAYLOAD, end + 1)) {
    const before = readJson(`${head.toString('utf8', 0, end)}}`)
    if (!before) continue
    const outline = { ...before, ...after, payload: {} } as StoredEvent
    if (EDGE_MEMBERS.every(name => name in outline)) return outline
  }
  return undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
/** Minimum number of bytes read between two yields. */
const STEP_BYTES = 64 * 1024

/** The string values in the payload of a body without blanks, folded, one by one; `undefined` for a pause. */
export function* payloadStrings(body: Buffer): Generator<string | undefined> {
  let depth = 0
  let payloadDepth = Number.POSITIVE_INFINITY
  let pauseAt = STEP_BYTES
  for (let at = 0; at < body.length; at++) {
    if (at > pauseAt) {
      pauseAt = at + STEP_BYTES
      yield undefined
    }
    const byte = body[at]
    if (byte === QUOTE) {
      const end = endOfString(body, at)
      const isName = body[end] === COLON
      if (!isName && depth >= payloadDepth) yield foldCase(JSON.parse(body.toString('utf8', at, end)))
      if (isName && depth === 1)
        payloadDepth = body.toString('utf8', at, end) === '"payload"' ? 2 : Number.POSITIVE_INFINITY
      at = end - 1
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
    }
  }
}

/** The index after the string that begins at `start`. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end !== -1; end = body.indexOf(QUOTE, end + 1)) {
    let escapes = end
    while (body[escapes - 1] === BACKSLASH) escapes--
    if ((end - escapes) % 2 === 0) return end + 1
  }
  return body.length
}

function readJson(text: string): object | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
