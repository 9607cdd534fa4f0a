import { toTimestamp } from '../../../model/timestamp.js'
import type { LedgerStats } from '../../event-store.js'
import type { Database } from '../files/database.js'

/** The answer lists only the most frequent kinds, because there may be any number of kinds. */
const KINDS_LISTED = 1_000

/** Reads the statistics from counters that every write updates. No event is counted here. */
export function readStatistics(database: Database): LedgerStats {
  const sources = database.all('SELECT * FROM source_counters ORDER BY source')
  const kinds = database.all('SELECT kind, events FROM kind_counters ORDER BY events DESC, kind LIMIT ?', KINDS_LISTED)
  const span = database.first('SELECT min(captured_us) AS first, max(captured_us) AS latest FROM events')
  return {
    event_count: sum(sources.map(row => row.events)),
    duplicate_count: sum(sources.map(row => row.duplicates)),
    subscription_count: Number(database.first('SELECT count(*) AS count FROM subscriptions')?.count ?? 0),
    by_source: Object.fromEntries(
      sources.map(row => [
        row.source,
        {
          events: Number(row.events),
          duplicates: Number(row.duplicates),
          latest_captured_at: timestampOrNull(row.latest_us),
        },
      ]),
    ),
    by_kind: Object.fromEntries(kinds.map(row => [row.kind, Number(row.events)])),
    first_captured_at: timestampOrNull(span?.first),
    latest_captured_at: timestampOrNull(span?.latest),
  }
}

function sum(values: unknown[]): number {
  return values.reduce<number>((total, value) => total + Number(value), 0)
}

function timestampOrNull(micros: unknown): string | null {
  return micros === null || micros === undefined ? null : toTimestamp(Number(micros))
}
