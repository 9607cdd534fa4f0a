import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { EventToRecord, RecordOutcome, SubscriptionMatch } from '../event-store.js'

/**
 * Events on their way to the store's thread, packed so that crossing costs little: a few flat strings, and all bodies
 * as the bytes that are going to be stored, in one buffer that changes hands without being copied.
 */
export interface PackedRows {
  /** `dedupe_key`, `source`, `kind` and `subject_id` of each row, one after another. */
  texts: string[]
  /** Every complete body as UTF-8, with blank instants. */
  bodies: Uint8Array
  /** Where each body ends. */
  ends: Uint32Array
  /** Rows whose sender does not ask for the body as it then is. */
  unanswered: number[]
  /** Only rows that match a subscription. */
  matches: { row: number; matches: SubscriptionMatch[] }[]
}

/** What became of packed rows. A row that was seen once is new. */
export interface PackedOutcomes {
  capturedAt: Float64Array
  seenCounts: Uint32Array
  /** Bodies of the repeats, as they are now, for those who ask; those of new rows are known to the sender. */
  repeats: { row: number; body: string }[]
}

/** One row, unpacked. */
export interface EventRow {
  dedupeKey: string
  source: string
  kind: string
  subjectId: string
  body: Uint8Array
}

const COLUMNS = 4
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
  let size = BLANK_INSTANTS.length * events.length
  for (const [row, { json }] of events.entries()) {
    size += Buffer.byteLength(openBodies[row] as string) + (json ? json.length - CLOSING_BRACE : 0)
  }
  const bodies = Buffer.allocUnsafeSlow(size)
  const ends = new Uint32Array(events.length)
  const texts: string[] = []
  const matches: PackedRows['matches'] = []
  const unanswered: number[] = []
  let end = 0
  for (const [row, { event, matches: ofRow, json }] of events.entries()) {
    if (json) {
      bodies.set(json.subarray(0, -CLOSING_BRACE), end)
      end += json.length - CLOSING_BRACE
      unanswered.push(row)
    }
    end += bodies.write(openBodies[row] as string, end)
    end += bodies.write(BLANK_INSTANTS, end, 'latin1')
    ends[row] = end
    texts.push(event.dedupe_key, event.source, event.kind, event.subject_id)
    if (ofRow.length > 0) matches.push({ row, matches: ofRow })
  }
  return { texts, bodies, ends, unanswered, matches }
}

/** Unpacks one row, setting its instants. */
export function unpackRow({ texts, bodies, ends }: PackedRows, row: number, capturedAt: Micros): EventRow {
  const body = bodies.subarray(row === 0 ? 0 : ends[row - 1], ends[row])
  setInstant(body, body.length - CAPTURED_AT, capturedAt)
  setInstant(body, body.length - LAST_SEEN_AT, capturedAt)
  const [dedupeKey = '', source = '', kind = '', subjectId = ''] = texts.slice(row * COLUMNS, (row + 1) * COLUMNS)
  return { dedupeKey, source, kind, subjectId, body }
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

function setInstant(body: Uint8Array, at: number, instant: Micros): void {
  const text = toTimestamp(instant)
  for (let index = 0; index < text.length; index++) body[at + index] = text.charCodeAt(index)
}
