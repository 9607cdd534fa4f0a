import type { LedgerStats } from '../../event-store.js'
import { KINDS_LISTED, toStatistics } from '../../rows/stored-statistics.js'
import { allSettled, type Connection, type Row } from '../connection/connection.js'

const SOURCES = /* sql */ `SELECT source, events, duplicates, latest_us FROM source_counters ORDER BY source`
const KINDS = /* sql */ `SELECT kind, events FROM kind_counters ORDER BY events DESC, kind LIMIT ${KINDS_LISTED}`
const SPAN = /* sql */ `
  SELECT coalesce((SELECT captured_us FROM pruned_events ORDER BY captured_us LIMIT 1),
      (SELECT captured_us FROM events ORDER BY captured_us LIMIT 1)) AS first, last_us, seq,
    (SELECT count(*) FROM subscriptions) AS subscriptions
  FROM ledger_clock`
/** All tables of a schema, with their indexes. */
const SIZE = /* sql */ `
  SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
  WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind = 'r'`

/** Reads the statistics from counters that every group updates. No event is counted here. */
export function readStatistics(connection: Connection): Promise<LedgerStats> {
  return connection.snapshot(async () => {
    const [sources, kinds, [span]] = await allSettled<[Row[], Row[], Row[]]>(
      connection.run(SOURCES),
      connection.run(KINDS),
      connection.run(SPAN),
    )
    const latest = Number(span?.seq) === 0 ? null : span?.last_us
    return toStatistics({ sources, kinds, subscriptions: span?.subscriptions, first: span?.first, latest })
  })
}

export async function readSizeBytes(connection: Pick<Connection, 'run'>, schema: string): Promise<number> {
  return Number((await connection.run(SIZE, schema))[0]?.bytes)
}
