import { StatsSchema } from '../../model/ledger-answers.js'
import { json } from '../answer/reply.js'
import type { RefusedDeliveries } from '../events/refused-deliveries.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ServedLedger } from './served-ledger.js'

/** `GET /api/stats` */
export function stats(ledger: ServedLedger, refused: RefusedDeliveries): Endpoint {
  return documented(DOC, async () => json(200, { ...(await ledger.stats()), refused_deliveries: refused.list() }))
}

const DOC: RouteDoc = {
  summary: 'Counts',
  description: 'Maintained counters of events, repeats and subscriptions, by source and by kind.',
  answers: { 200: { description: 'The counts', schema: StatsSchema } },
}
