import { markOf, readErasureEntry, toTombstone } from '../../../model/events/erasure.js'
import type { Erased, Provenance, StoredEvent } from '../../../model/events/event.js'
import { UNVERIFIED_KEYS } from '../../../model/events/event-limits.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { EDGE_BYTES, LARGE_EVENT_BYTES, outlineOf } from '../../large-event.js'
import type { Connection, Row } from '../connection/connection.js'
import { bigintArray } from '../connection/text-array.js'
import { type MutableMembers, readTail } from '../write/prepared-event.js'

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
      const kept = { provenance, tail: { ...readTail(String(row.tail)), subscriptionIds: [] }, occurredAt: null }
      const tombstone = tombstoneOf(row, kept, markOfEntry(row))
      return [Number(row.captured_us), { tombstone, contentDigest: String(row.content_digest) }]
    }),
  )
}

/** The parts of an event that its tombstone keeps. */
interface TombstoneParts {
  provenance: Provenance | undefined
  occurredAt: string | null
  tail: MutableMembers
}

/** @param row `dedupe_key`, `source`, `kind` */
export function tombstoneOf(row: Row, { provenance, occurredAt, tail }: TombstoneParts, erased: Erased): StoredEvent {
  const stored = String(row.dedupe_key)
  const isUnverified = stored.startsWith(UNVERIFIED_KEYS)
  const unknown: Provenance = { route: 'api', verified: 'none', ...(isUnverified ? { key_space: 'unverified' } : {}) }
  const kept = {
    dedupe_key: isUnverified ? stored.slice(UNVERIFIED_KEYS.length) : stored,
    source: String(row.source),
    kind: String(row.kind),
    occurred_at: occurredAt,
    provenance: provenance ?? unknown,
    subscription_ids: [...tail.subscriptionIds],
    captured_at: toTimestamp(tail.capturedAt),
    seen_count: tail.seenCount,
    last_seen_at: toTimestamp(tail.lastSeenAt),
  }
  return toTombstone(kept, erased)
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

function markOfEntry({ entry, entry_us }: Row): Erased {
  const recorded = entry === null ? undefined : (JSON.parse(String(entry)) as StoredEvent)
  if (!recorded || !readErasureEntry(recorded)) throw new Error('A removed event has no entry.')
  return markOf({ event: recorded }, toTimestamp(Number(entry_us)))
}
