import Type from '#typebox'
import { json } from '../answer/reply.js'
import { CapturedAtOrNull, Count } from '../events/event-schemas.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import type { ServedLedger } from './served-ledger.js'

/** `GET /api/stats` */
export function stats(ledger: ServedLedger): Endpoint {
  return documented(DOC, async () => json(200, await ledger.stats()))
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
})

const DOC: RouteDoc = { summary: 'Counts', answers: { 200: { description: 'The counts', schema: StatsSchema } } }
