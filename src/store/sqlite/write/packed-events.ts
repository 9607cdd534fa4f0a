import { storedKeyOf } from '../../../model/events/event.js'
import { RESERVED_BYTES } from '../../../model/events/event-limits.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import type { EventToRecord, RecordOutcome, SubscriptionMatch } from '../../event-store.js'
import { addMarks, MARK_WORDS } from '../search/facet-marks.js'
import { eachFacet } from '../search/facets.js'

/**
 * Events for the store's thread, packed so that the message costs little. Each object, array and string of a message is
 * cloned separately, so there are few of them. The bodies are the bytes to store, in one buffer that is transferred
 * without a copy.
 */
export interface PackedEvents {
  count: number
  /** Stored key, `source`, `kind` and `subject_id` of each event, without separators. */
  texts: string
  /**
   * From `start` on, for each event: five lengths of 32 bits, of its texts in UTF-16 units and of its body in bytes, and
   * the marks of its facets; then every complete body.
   */
  buffer: ArrayBuffer
  start: number
  /** Indexes of the events whose sender needs their body in the outcome. */
  answered: readonly number[]
  /** `MatchesOfEvent[]` as JSON, only of events that match a subscription. */
  matches: string
}

export interface MatchesOfEvent {
  index: number
  matches: SubscriptionMatch[]
}

/** The outcomes of packed events. An event whose count is 1 is new. */
export interface PackedOutcomes {
  capturedAt: Micros[]
  seenCounts: number[]
  /** Current bodies of the repeats whose sender needs them; the sender knows the bodies of new events. */
  repeats: { index: number; body: string }[]
  /** Digest of the ledger's newest event, these included. */
  digest: string | null
}

/** One event, unpacked. */
export interface UnpackedEvent {
  /** From `storedKeyOf`. */
  dedupeKey: string
  source: string
  kind: string
  subjectId: string
  /** With blank instants until `fillInstants`. */
  body: Buffer
  /** Marks of its facets. */
  marks: Uint32Array
}

/** Index of the body's length among the numbers of an event. */
const BODY = 4
const MARKS = BODY + 1
const NUMBERS_PER_EVENT = MARKS + MARK_WORDS
const CLOSING_BRACE = 1
const BLANK_INSTANT = '0000-00-00T00:00:00.000000Z'
const instants = (at: string) => `,"captured_at":"${at}","seen_count":1,"last_seen_at":"${at}"}`
const BLANK_INSTANTS = instants(BLANK_INSTANT)
const CAPTURED_AT = BLANK_INSTANTS.length - BLANK_INSTANTS.indexOf(BLANK_INSTANT)
const LAST_SEEN_AT = BLANK_INSTANTS.length - BLANK_INSTANTS.lastIndexOf(BLANK_INSTANT)

/**
 * An event as JSON text, without its closing brace and the members that the transaction adds. For an event that is
 * already serialised, only the text after its members. The parts that never change come first (`contentOf`).
 */
export function encodeWithoutInstants({ event, provenance, matches, json }: EventToRecord): string {
  const subscriptionIds = JSON.stringify(matches.map(match => match.id))
  const members = json ? '' : JSON.stringify(event).slice(0, -1)
  return `${members},"provenance":${JSON.stringify(provenance)},"subscription_ids":${subscriptionIds}`
}

/** @param answered indexes of the events whose outcomes need a body */
export function packEvents(
  events: readonly EventToRecord[],
  openBodies: readonly string[],
  answered: readonly number[] = [],
): PackedEvents {
  const numbers = new Uint32Array(events.length * NUMBERS_PER_EVENT)
  let texts = ''
  let size = numbers.byteLength
  const matches: MatchesOfEvent[] = []
  for (const [index, { event, provenance, matches: ofEvent, json }] of events.entries()) {
    const { source, kind, subject_id } = event
    const key = storedKeyOf(event, provenance)
    const serialised = json ? json.length - CLOSING_BRACE : 0
    const length = serialised + Buffer.byteLength(openBodies[index] as string) + BLANK_INSTANTS.length
    texts += key + source + kind + subject_id
    const first = index * NUMBERS_PER_EVENT
    numbers[first] = key.length
    numbers[first + 1] = source.length
    numbers[first + 2] = kind.length
    numbers[first + 3] = subject_id.length
    numbers[first + BODY] = length
    const ids = ofEvent.map(({ id }) => id)
    eachFacet(event, provenance.verified, ids, (name, value) => addMarks(numbers, first + MARKS, name, value))
    size += length
    if (ofEvent.length > 0) matches.push({ index, matches: ofEvent })
  }
  const bytes = reservedBytesOf(events, size) ?? Buffer.allocUnsafeSlow(size)
  let end = numbers.byteLength
  bytes.set(new Uint8Array(numbers.buffer))
  for (const [index, { json }] of events.entries()) {
    if (json) {
      if (json.buffer !== bytes.buffer) bytes.set(json.subarray(0, -CLOSING_BRACE), end)
      end += json.length - CLOSING_BRACE
    }
    end += bytes.write(openBodies[index] as string, end)
    end += bytes.write(BLANK_INSTANTS, end, 'latin1')
  }
  const packedMatches = matches.length > 0 ? JSON.stringify(matches) : '[]'
  const { buffer, byteOffset: start } = bytes
  return { count: events.length, texts, buffer: buffer as ArrayBuffer, start, answered, matches: packedMatches }
}

/**
 * The room around a single serialised event, if the rest fits there: then no byte of it is copied. Only a buffer with
 * exactly that room is certain to have no other user.
 */
function reservedBytesOf(events: readonly EventToRecord[], size: number): Buffer | undefined {
  const json = events.length === 1 ? events[0]?.json : undefined
  if (!json) return undefined
  const { before, after } = RESERVED_BYTES
  const isOwn = json.byteOffset === before && json.buffer.byteLength === before + json.byteLength + after
  const start = before - NUMBERS_PER_EVENT * Uint32Array.BYTES_PER_ELEMENT
  const fits = start + size <= json.buffer.byteLength
  return isOwn && fits ? Buffer.from(json.buffer as ArrayBuffer, start, size) : undefined
}

/** The bodies are views on the buffer. */
export function* unpackEvents({ count, texts, buffer, start }: PackedEvents): Generator<UnpackedEvent> {
  const numbers = new Uint32Array(buffer, start, count * NUMBERS_PER_EVENT)
  let at = 0
  let bodyStart = start + numbers.byteLength
  const nextText = (length: number) => {
    const from = at
    at += numbers[length] as number
    return texts.slice(from, at)
  }
  for (let first = 0; first < numbers.length; first += NUMBERS_PER_EVENT) {
    const dedupeKey = nextText(first)
    const source = nextText(first + 1)
    const kind = nextText(first + 2)
    const subjectId = nextText(first + 3)
    const body = Buffer.from(buffer, bodyStart, numbers[first + BODY])
    bodyStart += body.length
    yield {
      dedupeKey,
      source,
      kind,
      subjectId,
      body,
      marks: numbers.subarray(first + MARKS, first + NUMBERS_PER_EVENT),
    }
  }
}

/** Fills in the instant when an event was captured, which is also when it was last seen. */
export function fillInstants({ body }: UnpackedEvent, capturedAt: Micros): void {
  const text = toTimestamp(capturedAt)
  body.write(text, body.length - CAPTURED_AT, 'latin1')
  body.write(text, body.length - LAST_SEEN_AT, 'latin1')
}

/** Unpacks the outcomes on the main thread, one for each event. */
export function toOutcomes(
  events: readonly EventToRecord[],
  openBodies: readonly string[],
  answered: readonly number[],
  { capturedAt, seenCounts, repeats }: PackedOutcomes,
): RecordOutcome[] {
  const repeated = new Map(repeats.map(({ index, body }) => [index, body]))
  const isAnswered = new Set(answered)
  return events.map(({ event }, index) => {
    const at = capturedAt[index] as number
    const seenCount = seenCounts[index] as number
    const current = () => repeated.get(index) ?? openBodies[index] + instants(toTimestamp(at))
    const body = isAnswered.has(index) ? current() : undefined
    return { created: seenCount === 1, dedupeKey: event.dedupe_key, seenCount, capturedAt: at, body }
  })
}
