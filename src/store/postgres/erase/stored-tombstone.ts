import type { StoredEvent } from '../../../model/events/event.js'
import type { Micros } from '../../../model/timestamp.js'
import { EDGE_BYTES, LARGE_EVENT_BYTES, outlineOf } from '../../large-event.js'
import { markOfPruning, tombstoneOf } from '../../rows/removed-events.js'
import type { Connection, Row } from '../connection/connection.js'
import { bigintArray } from '../connection/text-array.js'
import { ledgerMembersOf } from '../write/prepared-event.js'

/** The event of a row, without the payload of a large one (`readStoredEvent`). */
export const EVENT_PARTS = /* sql */ `
  tail, CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN body ELSE left(body, ${EDGE_BYTES}) END AS body,
  CASE WHEN octet_length(body) > ${LARGE_EVENT_BYTES} THEN right(body, ${EDGE_BYTES}) END AS body_end`
/** The digest of the content that an event has, or had. */
export const CONTENT_DIGEST = `coalesce(events.content_digest, encode(sha256(convert_to(events.body, 'UTF8')), 'hex'))`

/** Includes the entry of the pruning that removed the event, unless a later pruning has removed the entry as well. */
const REMOVED = /* sql */ `
  SELECT removed.*, entry.captured_us AS entry_us, entry.body || entry.tail AS entry FROM (
    SELECT captured_us, dedupe_key, source, kind, tail, content_digest, provenance, NULL AS body, NULL AS body_end
    FROM pruned_events WHERE captured_us = ANY ($1::bigint[])
    UNION ALL
    SELECT captured_us, dedupe_key, source, kind, tail, content_digest, NULL, body, body_end
    FROM (
      SELECT captured_us, dedupe_key, source, kind, ${CONTENT_DIGEST} AS content_digest, ${EVENT_PARTS} FROM events
      WHERE captured_us = ANY ($1::bigint[])
    ) AS stored
  ) AS removed LEFT JOIN LATERAL (
    SELECT events.captured_us, body, events.tail FROM prunings JOIN events ON events.captured_us = entry_us
    WHERE through_us >= removed.captured_us AND entry_us > (SELECT pruned_us FROM ledger_clock)
    ORDER BY through_us LIMIT 1
  ) AS entry ON true`

/** An event that retention has removed. */
export interface PrunedEvent {
  tombstone: StoredEvent
  /** Digest of the removed content, in hex. */
  contentDigest: string
}

/** The tombstones of events that retention has removed, also while their content is still stored. */
export async function readRemoved(
  connection: Connection,
  instants: readonly Micros[],
): Promise<Map<Micros, PrunedEvent>> {
  const rows = instants.length === 0 ? [] : await connection.run(REMOVED, bigintArray(instants))
  return new Map(
    rows.map(row => {
      const provenance = row.provenance === null ? readStoredEvent(row)?.provenance : JSON.parse(String(row.provenance))
      const kept = { ...ledgerMembersOf(String(row.tail)), provenance, occurred_at: null, subscription_ids: [] }
      const entry = row.entry === null ? undefined : String(row.entry)
      const tombstone = tombstoneOf(row, kept, markOfPruning(entry, Number(row.entry_us)))
      return [Number(row.captured_us), { tombstone, contentDigest: String(row.content_digest) }]
    }),
  )
}

/**
 * @param row of `EVENT_PARTS`
 * @returns undefined if another program has changed it: `daybook ledger verify` reports it
 */
export function readStoredEvent({ body, body_end, tail }: Row): StoredEvent | undefined {
  if (body_end !== null) return outlineOf(Buffer.from(String(body)), Buffer.from(String(body_end) + String(tail)))
  try {
    return JSON.parse(String(body) + String(tail)) as StoredEvent
  } catch {
    return undefined // the caller uses the columns instead
  }
}
