import type { StoredEvent } from '../../../model/events/event.js'
import { toTimestamp } from '../../../model/timestamp.js'
import { type KeptMembers, markOfPruning, tombstoneOf } from '../../rows/removed-events.js'
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
  if (!row || !entry) throw new Error('A removed event has no entry.')
  const kept = { ...keptMembers(row, readBody(String(row.body))), occurred_at: null, subscription_ids: [] }
  return tombstoneOf(row, kept, markOfPruning(String(entry.body), Number(entry.captured_us)))
}

/** @param event as far as its body could be read */
export function keptMembers(row: Row, event: Partial<StoredEvent> = {}): KeptMembers {
  const { occurred_at, provenance, subscription_ids, last_seen_at } = event
  const captured_at = toTimestamp(Number(row.captured_us))
  return {
    occurred_at: occurred_at ?? null,
    provenance,
    subscription_ids: subscription_ids ?? [],
    captured_at,
    seen_count: Number(row.seen_count),
    last_seen_at: last_seen_at ?? captured_at,
  }
}

/** The part of an event that its row keeps as the body after retention has removed it. The rest is in the columns. */
export function prunedBody({ provenance, seen_count, last_seen_at }: StoredEvent): Partial<StoredEvent> {
  const { route, verified, key_space } = provenance
  return {
    provenance: { route, verified, ...(key_space ? { key_space } : {}) },
    ...(seen_count > 1 ? { last_seen_at } : {}),
  }
}

function readBody(body: string): Partial<StoredEvent> {
  try {
    return JSON.parse(body) as Partial<StoredEvent>
  } catch {
    return {} // `daybook ledger verify` reports it
  }
}
