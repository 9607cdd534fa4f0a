import Type from '#typebox'
import { DeliveryTraceSchema, TRACE_LIMITS } from '../../model/platforms/delivery-trace.js'
import { json } from '../answer/reply.js'
import { documented, type LedgerEndpoint, type RouteDoc } from '../http/route.js'
import { QueryString } from '../request/query-string.js'
import type { ServedTrace } from './delivery-trace.js'

/** `GET /api/deliveries` */
export function listDeliveries({ trace }: { trace: Pick<ServedTrace, 'state'> }): LedgerEndpoint {
  return documented(DOC, async req => {
    const params = new QueryString(req.search, ['limit'])
    const limit = params.integer('limit', { min: 1, max: TRACE_LIMITS.refused }) ?? TRACE_LIMITS.alike
    params.finish()
    const { refused, ...others } = await trace.state()
    return json(200, { ...others, refused: refused.slice(0, limit) })
  })
}

const DOC: RouteDoc = {
  summary: 'What arrived at the webhooks, and what was refused, and why',
  description: 'Of the last seven days, at most 1,000 refused deliveries, without anything of their bodies.',
  query: [
    {
      name: 'limit',
      description: `How many refused deliveries at most; ${TRACE_LIMITS.alike} when absent.`,
      schema: Type.Integer({ minimum: 1, maximum: TRACE_LIMITS.refused }),
    },
  ],
  answers: { 200: { description: 'The deliveries', schema: DeliveryTraceSchema } },
}
