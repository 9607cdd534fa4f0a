import { timestampOrNull } from '../../model/timestamp.js'
import type { LedgerStats } from '../event-store.js'
import { numberOrNull } from './columns.js'

/** The answer lists only the most frequent kinds, because there may be any number of kinds. */
export const KINDS_LISTED = 1_000

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Rows of the counters, and instants in microseconds or null, as a driver returns them. */
interface StoredStatistics {
  /** Each with `source`, `events`, `duplicates` and `latest_us`. */
  sources: Rows
  /** Each with `kind` and `events`. */
  kinds: Rows
  subscriptions: unknown
  first: unknown
  latest: unknown
}

export function toStatistics({ sources, kinds, subscriptions, first, latest }: StoredStatistics): LedgerStats {
  const total = (of: 'events' | 'duplicates') => sources.reduce((sum, row) => sum + Number(row[of]), 0)
  const bySource = sources.map(({ source, events, duplicates, latest_us }) => [
    source,
    { events: Number(events), duplicates: Number(duplicates), latest_captured_at: toInstant(latest_us) },
  ])
  return {
    event_count: total('events'),
    duplicate_count: total('duplicates'),
    subscription_count: Number(subscriptions),
    by_source: Object.fromEntries(bySource),
    by_kind: Object.fromEntries(kinds.map(({ kind, events }) => [kind, Number(events)])),
    first_captured_at: toInstant(first),
    latest_captured_at: toInstant(latest),
  }
}

function toInstant(column: unknown): string | null {
  return timestampOrNull(numberOrNull(column))
}
