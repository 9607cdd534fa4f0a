import { storedKeyOf } from '../../model/events/event.js'
import { RESERVED_BYTES } from '../../model/events/event-limits.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { EventToRecord, RecordOutcome, SubscriptionMatch } from '../event-store.js'

/**
 * Events on their way to the store's thread, packed so that crossing costs little: each object, each array and each
 * string of a message is taken apart and put together by itself, so there are few of them, and the bodies are the bytes
 * that are going to be stored, in one buffer that changes hands without being copied.
 */
export interface PackedRows {
  count: number
  /** Stored key, `source`, `kind` and `subject_id` of each row, one after another, nothing between them. */
  texts: string
  /**
   * From `start` on: five lengths of 32 bits a row, of its texts in UTF-16 units and of its body in bytes; then every
   * complete body.
   */
  buffer: ArrayBuffer
  start: number
  /** Rows whose sender does not ask for the body as it then is. */
  unanswered: number[]
  /** `RowMatches[]` as JSON, only of rows that match a subscription. */
  matches: string
}

export interface RowMatches {
  row: number
  matches: SubscriptionMatch[]
}

/** What became of packed rows. A row that was seen once is new. */
export interface PackedOutcomes {
  capturedAt: Micros[]
  seenCounts: number[]
  /** Bodies of the repeats, as they are now, for those who ask; those of new rows are known to the sender. */
  repeats: { row: number; body: string }[]
}

/** One row, unpacked. */
export interface EventRow {
  /** As `storedKeyOf` makes it. */
  dedupeKey: string
  source: string
  kind: string
  subjectId: string
  /** With blank instants until `setInstants`. */
  body: Buffer
}

const LENGTHS_A_ROW = 5
/** Which of a row's lengths is that of its body. */
const BODY = 4
const CLOSING_BRACE = 1
const BLANK_INSTANT = '0000-00-00T00:00:00.000000Z'
const instants = (at: string) => `,"captured_at":"${at}","seen_count":1,"last_seen_at":"${at}"}`
const BLANK_INSTANTS = instants(BLANK_INSTANT)
const CAPTURED_AT = BLANK_INSTANTS.length - BLANK_INSTANTS.indexOf(BLANK_INSTANT)
const LAST_SEEN_AT = BLANK_INSTANTS.length - BLANK_INSTANTS.lastIndexOf(BLANK_INSTANT)

/**
 * An event as JSON text, but for its closing brace and the members that only the transaction can say. Of one that has
 * been written down already, what comes after its members.
 */
export function toOpenBody({ event, provenance, matches, json }: EventToRecord): string {
  const subscriptionIds = JSON.stringify(matches.map(match => match.id))
  const members = json ? '' : JSON.stringify(event).slice(0, -1)
  return `${members},"subscription_ids":${subscriptionIds},"provenance":${JSON.stringify(provenance)}`
}

export function packRows(events: readonly EventToRecord[], openBodies: readonly string[]): PackedRows {
  const lengths = new Uint32Array(events.length * LENGTHS_A_ROW)
  let texts = ''
  let size = lengths.byteLength
  const matches: RowMatches[] = []
  const unanswered: number[] = []
  for (const [row, { event, provenance, matches: ofRow, json }] of events.entries()) {
    const { source, kind, subject_id } = event
    const key = storedKeyOf(event, provenance)
    const written = json ? json.length - CLOSING_BRACE : 0
    const length = written + Buffer.byteLength(openBodies[row] as string) + BLANK_INSTANTS.length
    texts += key + source + kind + subject_id
    const first = row * LENGTHS_A_ROW
    lengths[first] = key.length
    lengths[first + 1] = source.length
    lengths[first + 2] = kind.length
    lengths[first + 3] = subject_id.length
    lengths[first + BODY] = length
    size += length
    if (json) unanswered.push(row)
    if (ofRow.length > 0) matches.push({ row, matches: ofRow })
  }
  const bytes = roomOf(events, size) ?? Buffer.allocUnsafeSlow(size)
  let end = lengths.byteLength
  bytes.set(new Uint8Array(lengths.buffer))
  for (const [row, { json }] of events.entries()) {
    if (json) {
      if (json.buffer !== bytes.buffer) bytes.set(json.subarray(0, -CLOSING_BRACE), end)
      end += json.length - CLOSING_BRACE
    }
    end += bytes.write(openBodies[row] as string, end)
    end += bytes.write(BLANK_INSTANTS, end, 'latin1')
  }
  const packedMatches = matches.length > 0 ? JSON.stringify(matches) : '[]'
  const { buffer, byteOffset: start } = bytes
  return { count: events.length, texts, buffer: buffer as ArrayBuffer, start, unanswered, matches: packedMatches }
}

/**
 * The room around a single event that was written down, if the rest fits there: then no byte of it is copied. Only what was
 * made with just that room is known to be nobody else's.
 */
function roomOf(events: readonly EventToRecord[], size: number): Buffer | undefined {
  const json = events.length === 1 ? events[0]?.json : undefined
  if (!json) return undefined
  const { before, after } = RESERVED_BYTES
  const isOwn = json.byteOffset === before && json.buffer.byteLength === before + json.byteLength + after
  const start = before - LENGTHS_A_ROW * Uint32Array.BYTES_PER_ELEMENT
  const fits = start + size <= json.buffer.byteLength
  return isOwn && fits ? Buffer.from(json.buffer as ArrayBuffer, start, size) : undefined
}

/** The bodies are views on the buffer. */
export function* unpackRows({ count, texts, buffer, start }: PackedRows): Generator<EventRow> {
  const lengths = new Uint32Array(buffer, start, count * LENGTHS_A_ROW)
  let at = 0
  let bodyStart = start + lengths.byteLength
  const nextText = (index: number) => {
    const from = at
    at += lengths[index] as number
    return texts.slice(from, at)
  }
  for (let first = 0; first < lengths.length; first += LENGTHS_A_ROW) {
    const dedupeKey = nextText(first)
    const source = nextText(first + 1)
    const kind = nextText(first + 2)
    const subjectId = nextText(first + 3)
    const body = Buffer.from(buffer, bodyStart, lengths[first + BODY])
    bodyStart += body.length
    yield { dedupeKey, source, kind, subjectId, body }
  }
}

/** Fills in when an event was captured, which is when it was last seen too. */
export function setInstants({ body }: EventRow, capturedAt: Micros): void {
  const text = toTimestamp(capturedAt)
  body.write(text, body.length - CAPTURED_AT, 'latin1')
  body.write(text, body.length - LAST_SEEN_AT, 'latin1')
}

/** The sender's side of the outcomes: what became of each event. */
export function toOutcomes(
  events: readonly EventToRecord[],
  openBodies: readonly string[],
  { capturedAt, seenCounts, repeats }: PackedOutcomes,
): RecordOutcome[] {
  const repeated = new Map(repeats.map(({ row, body }) => [row, body]))
  return events.map(({ event, json }, row) => {
    const at = capturedAt[row] as number
    const seenCount = seenCounts[row] as number
    const outcome = { created: seenCount === 1, dedupeKey: event.dedupe_key, seenCount, capturedAt: at }
    return json ? outcome : { ...outcome, body: repeated.get(row) ?? openBodies[row] + instants(toTimestamp(at)) }
  })
}
