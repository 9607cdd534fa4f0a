import { StatsSchema } from '../../model/ledger-answers.js'
import { toTimestamp } from '../../model/timestamp.js'
import { json } from '../answer/reply.js'
import type { RefusedDeliveries } from '../events/refused-deliveries.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ServedLedger } from './served-ledger.js'

interface StatsParts {
  ledger: ServedLedger
  refused: RefusedDeliveries
  /** Epoch milliseconds, as `restoredAt`. */
  lastBackup: () => number | undefined
  restoredAt: number | undefined
}

/** `GET /api/stats` */
export function stats({ ledger, refused, lastBackup, restoredAt }: StatsParts): Endpoint {
  return documented(DOC, async () => {
    const times = { last_backup_at: timestampOrNull(lastBackup()), last_restored_at: timestampOrNull(restoredAt) }
    return json(200, { ...(await ledger.stats()), ...times, refused_deliveries: refused.list() })
  })
}

function timestampOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : toTimestamp(ms * 1000)
}

const DOC: RouteDoc = {
  summary: 'Counts',
  description: 'Maintained counters of events, repeats and subscriptions, by source and by kind.',
  answers: { 200: { description: 'The counts', schema: StatsSchema } },
}
