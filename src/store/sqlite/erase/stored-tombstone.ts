import { markOf, readErasureEntry, toTombstone } from '../../../model/events/erasure.js'
import type { Erased, Provenance, StoredEvent } from '../../../model/events/event.js'
import { UNVERIFIED_KEYS } from '../../../model/events/event-limits.js'
import { toTimestamp } from '../../../model/timestamp.js'
import type { Database, Row } from '../files/database.js'

const ROW = /* sql */ `SELECT dedupe_key, captured_us, source, kind, seen_count, body FROM events WHERE seq = ?`
/** The entry of the pruning that removed an event, unless a later pruning has removed the entry as well. */
const ENTRY = /* sql */ `
  SELECT captured_us, body FROM events WHERE seq = (
    SELECT entry_seq FROM prunings WHERE through_seq >= ?1 AND entry_seq > (SELECT max(through_seq) FROM prunings)
    ORDER BY through_seq LIMIT 1)`

/** The tombstone of an event that retention has removed, also while its content is still stored. */
export function prunedTombstone(database: Pick<Database, 'first'>, seq: number): StoredEvent {
  const [row, entry] = [database.first(ROW, seq), database.first(ENTRY, seq)]
  const recorded = entry && (JSON.parse(String(entry.body)) as StoredEvent)
  if (!row || !recorded || !readErasureEntry(recorded)) throw new Error('A removed event has no entry.')
  return tombstoneOf(row, markOf({ event: recorded }, toTimestamp(Number(entry.captured_us))))
}

/** @param row with its body, which may be of any kind, or not be JSON */
export function tombstoneOf(row: Row, erased: Erased): StoredEvent {
  const stored = String(row.dedupe_key)
  const isUnverified = stored.startsWith(UNVERIFIED_KEYS)
  const { occurred_at, provenance, subscription_ids, last_seen_at } = readBody(String(row.body))
  const captured_at = toTimestamp(Number(row.captured_us))
  const kept = {
    dedupe_key: isUnverified ? stored.slice(UNVERIFIED_KEYS.length) : stored,
    source: String(row.source),
    kind: String(row.kind),
    occurred_at: occurred_at ?? null,
    provenance: provenance ?? unknownProvenance(isUnverified),
    subscription_ids: subscription_ids ?? [],
    captured_at,
    seen_count: Number(row.seen_count),
    last_seen_at: last_seen_at ?? captured_at,
  }
  return toTombstone(kept, erased)
}

/** The part of an event that its row keeps as the body after retention has removed it. The rest is in the columns. */
export function prunedBody({ provenance, seen_count, last_seen_at }: StoredEvent): Partial<StoredEvent> {
  const { route, verified, key_space } = provenance
  return {
    provenance: { route, verified, ...(key_space ? { key_space } : {}) },
    ...(seen_count > 1 ? { last_seen_at } : {}),
  }
}

function unknownProvenance(isUnverified: boolean): Provenance {
  return { route: 'api', verified: 'none', ...(isUnverified ? { key_space: 'unverified' } : {}) }
}

function readBody(body: string): Partial<StoredEvent> {
  try {
    return JSON.parse(body) as Partial<StoredEvent>
  } catch {
    return {} // `daybook ledger verify` reports it
  }
}
