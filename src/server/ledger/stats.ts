import Type from '#typebox'
import { json } from '../answer/reply.js'
import { CapturedAt, CapturedAtOrNull, Count } from '../events/event-schemas.js'
import type { RefusedDeliveries } from '../events/refused-deliveries.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ServedLedger } from './served-ledger.js'

/** `GET /api/stats` */
export function stats(ledger: ServedLedger, refused: RefusedDeliveries): Endpoint {
  return documented(DOC, async () => json(200, { ...(await ledger.stats()), refused_deliveries: refused.list() }))
}

const StatsSchema = Type.Object({
  event_count: Count,
  duplicate_count: Count,
  subscription_count: Count,
  by_source: Type.Record(
    Type.String(),
    Type.Object({ events: Count, duplicates: Count, latest_captured_at: CapturedAtOrNull }),
  ),
  by_kind: Type.Record(Type.String(), Count),
  first_captured_at: CapturedAtOrNull,
  latest_captured_at: CapturedAtOrNull,
  refused_deliveries: Type.Object(
    {
      since: CapturedAt,
      items: Type.Array(Type.Object({ source: Type.String(), code: Type.String(), count: Count, last_at: CapturedAt })),
    },
    {
      description:
        'Deliveries to webhooks of this server that were answered with an error, by the code of the answer. Counted since the server started.',
    },
  ),
})

const DOC: RouteDoc = {
  summary: 'Counts',
  description: 'Maintained counters of events, repeats and subscriptions, by source and by kind.',
  answers: { 200: { description: 'The counts', schema: StatsSchema } },
}
