import type { LedgerStats } from '../../event-store.js'
import { KINDS_LISTED, toStatistics } from '../../rows/stored-statistics.js'
import type { Database } from '../files/database.js'

/** Reads the statistics from counters that every write updates. No event is counted here. */
export function readStatistics(database: Database): LedgerStats {
  const sources = database.all('SELECT * FROM source_counters ORDER BY source')
  const kinds = database.all('SELECT kind, events FROM kind_counters ORDER BY events DESC, kind LIMIT ?', KINDS_LISTED)
  const span = database.first('SELECT min(captured_us) AS first, max(captured_us) AS latest FROM events')
  const subscriptions = database.first('SELECT count(*) AS count FROM subscriptions')?.count
  return toStatistics({ sources, kinds, subscriptions, first: span?.first, latest: span?.latest })
}
