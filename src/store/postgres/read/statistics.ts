import { toTimestamp } from '../../../model/timestamp.js'
import type { LedgerStats } from '../../event-store.js'
import { allSettled, type Connection, type Row } from '../connection/connection.js'

/** The answer lists only the most frequent kinds, because there may be any number of kinds. */
const KINDS_LISTED = 1_000

const SOURCES = /* sql */ `SELECT source, events, duplicates, latest_us FROM source_counters ORDER BY source`
const KINDS = /* sql */ `SELECT kind, events FROM kind_counters ORDER BY events DESC, kind LIMIT ${KINDS_LISTED}`
const SPAN = /* sql */ `
  SELECT coalesce((SELECT captured_us FROM pruned_events ORDER BY captured_us LIMIT 1),
      (SELECT captured_us FROM events ORDER BY captured_us LIMIT 1)) AS first, last_us, seq,
    (SELECT count(*) FROM subscriptions) AS subscriptions
  FROM ledger_clock`
const SNAPSHOT = /* sql */ `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`

/** Reads the statistics from counters that every group updates. No event is counted here. */
export function readStatistics(connection: Connection): Promise<LedgerStats> {
  return connection.transaction(async () => {
    const [, sources, kinds, [span]] = await allSettled<[Row[], Row[], Row[], Row[]]>(
      connection.run(SNAPSHOT),
      connection.run(SOURCES),
      connection.run(KINDS),
      connection.run(SPAN),
    )
    const total = (of: 'events' | 'duplicates') => sources.reduce((sum, row) => sum + Number(row[of]), 0)
    return {
      event_count: total('events'),
      duplicate_count: total('duplicates'),
      subscription_count: Number(span?.subscriptions),
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
      latest_captured_at: Number(span?.seq) === 0 ? null : timestampOrNull(span?.last_us),
    }
  })
}

function timestampOrNull(micros: unknown): string | null {
  return micros === null || micros === undefined ? null : toTimestamp(Number(micros))
}
