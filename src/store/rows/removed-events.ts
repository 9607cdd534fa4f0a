import { ERASED_KIND, markOf, readErasureEntry, toTombstone } from '../../model/events/erasure.js'
import type { Erased, LedgerMembers, Provenance, StoredEvent } from '../../model/events/event.js'
import { UNVERIFIED_KEYS } from '../../model/events/event-limits.js'
import { findTimestamp, type Micros, toTimestamp } from '../../model/timestamp.js'
import type { CopiedEvent } from '../copy-store.js'

/** Members that a tombstone keeps, apart from those that have columns. */
export interface KeptMembers extends Omit<LedgerMembers, 'provenance' | 'erased'> {
  occurred_at: string | null
  /** Undefined if another program has changed the event. */
  provenance: Provenance | undefined
}

/** @param row `dedupe_key`, `source`, `kind` */
export function tombstoneOf(row: Readonly<Record<string, unknown>>, kept: KeptMembers, erased: Erased): StoredEvent {
  const stored = String(row.dedupe_key)
  const isUnverified = stored.startsWith(UNVERIFIED_KEYS)
  const unknown: Provenance = { route: 'api', verified: 'none', ...(isUnverified ? { key_space: 'unverified' } : {}) }
  const members = {
    ...kept,
    dedupe_key: isUnverified ? stored.slice(UNVERIFIED_KEYS.length) : stored,
    source: String(row.source),
    kind: String(row.kind),
    provenance: kept.provenance ?? unknown,
  }
  return toTombstone(members, erased)
}

/** The mark on the events that a pruning has removed. @param entry the event that records the pruning, as stored */
export function markOfPruning(entry: string | undefined, capturedAt: Micros): Erased {
  const event = entry === undefined ? undefined : (JSON.parse(entry) as StoredEvent)
  if (!event || !readErasureEntry(event)) throw new Error('A removed event has no entry.')
  return markOf({ event }, toTimestamp(capturedAt))
}

/** The newest event that retention has removed, if the event is the entry of a pruning. */
export function borderOf({ kind, body, contentDigest }: CopiedEvent): Micros | undefined {
  if (kind !== ERASED_KIND || contentDigest !== null) return undefined
  const entry = readErasureEntry(JSON.parse(Buffer.from(body).toString()) as StoredEvent)
  return findTimestamp(entry?.through)?.micros
}
