import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { Batch } from '../../ledger/consumers/read-attempt.js'
import type { WrapRead } from '../../ledger/wait-for-events.js'
import { CONSUMER_LIMITS } from '../../model/consumers/consumer.js'
import { QUERY_LIMITS } from '../../model/events/event-query.js'
import { CapturedAt, Count, named } from '../../model/ledger-answers.js'
import { toTimestamp } from '../../model/timestamp.js'
import type { AnswerBudget } from '../answer/answer-budget.js'
import { compressed } from '../answer/compressed.js'
import { closeSignal, hasLeft } from '../answer/slow-reader.js'
import { WAIT_SECONDS } from '../events/event-query-params.js'
import { createPageReader } from '../events/page-reader.js'
import { documented, type HttpRequest, type LedgerEndpoint, type Reply } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { StreamLimits } from '../http/stream-limits.js'
import { toCaller } from '../request/caller.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'
import type { ServedConsumers } from './consumer-routes.js'

interface ConsumerEventsParts {
  ledger: { consumers: ServedConsumers }
  shutdown: Shutdown
  consumerPlaces: StreamLimits
  budget: AnswerBudget
  /** @throws AppError `forbidden/origin_not_allowed` */
  refuseForeignPage: (req: HttpRequest) => void
  /** Rejects once the caller may no longer write. */
  checkMayWrite: (req: HttpRequest<Identity>) => Promise<void>
}

/**
 * `GET /api/consumers/:name/events`: the next events and a lease on them. The member `ack` of the answer is the body to
 * send when the work is done.
 */
export function readConsumerEvents(parts: ConsumerEventsParts): LedgerEndpoint {
  const { ledger, budget, refuseForeignPage, checkMayWrite } = parts
  return documented(DOC, async (req, res) => {
    const request = readRequest(req.search)
    const name = pathParam(req, 1)
    const caller = toCaller(req.identity)
    // An answer without a body would not contain the number that acknowledges the lease.
    if (req.method === 'HEAD') {
      await ledger.consumers.get(name, caller)
      return { status: 200, body: '' }
    }
    // This GET takes a lease, so a foreign page must not cause it.
    refuseForeignPage(req)
    const room = budget.roomFor(res)
    req.room = room
    const wrapRead: WrapRead = read => createPageReader(read, room)
    const held =
      request.waitSeconds > 0
        ? parts.shutdown.hold(req, res, 'consumer', parts.consumerPlaces)
        : { signal: closeSignal(res) }
    let leased: number | undefined
    try {
      const batch = await ledger.consumers.nextBatch(name, { ...request, signal: held.signal, wrapRead }, caller)
      leased = batch.fence
      if (request.waitSeconds > 0) {
        await checkMayWrite(req) // the login may have ended by now
        const current = toCaller(req.identity)
        // Who was an admin when the wait began may read only its own consumers now.
        if (current.role !== caller.role) await ledger.consumers.get(name, current)
      }
      // A sender that has closed its side has probably ended, and would keep its lease. If not, it still gets the events.
      if (hasLeft(res) || req.socket.readableEnded) await ledger.consumers.release(name, batch.fence, caller)
      else if (!batch.isShared) budget.freeWith(res, batch.page.items)
      return compressed(req, toReply(batch))
    } catch (error) {
      const unused = leased ?? (hasLeft(res) ? request.fence : undefined)
      if (unused !== undefined) await ledger.consumers.release(name, unused, caller)
      throw error
    }
  })
}

function readRequest(search: string) {
  const params = new QueryString(search, ['wait', 'limit', 'fence', 'lease_seconds'])
  const waitSeconds = params.integer('wait', WAIT_SECONDS) ?? 0
  const limit = params.integer('limit', { min: 1, max: QUERY_LIMITS.limit }) ?? QUERY_LIMITS.defaultLimit
  const leaseSeconds =
    params.integer('lease_seconds', CONSUMER_LIMITS.leaseSeconds) ?? CONSUMER_LIMITS.leaseSeconds.default
  const fence = params.raw('fence')
  if (fence !== undefined && !/^\d{1,15}$/.test(fence)) params.refuse('fence', 'fence must be the number of a batch.')
  params.finish()
  return { waitSeconds, limit, leaseSeconds, ...(fence === undefined ? {} : { fence: Number(fence) }) }
}

/** Assembles the answer around the stored JSON texts, like a page of events. */
function toReply({ page, fence, leasedUntil, checkpoint, retried }: Batch): Reply {
  const ack = retried === undefined ? { fence, checkpoint: toTimestamp(checkpoint) } : { fence, retried }
  const members = {
    count: page.count,
    has_more: page.hasMore || retried !== undefined,
    epoch: page.epoch,
    leased_until: toTimestamp(leasedUntil),
    ack,
  }
  return { status: 200, body: ['{"items":[', page.items, `],${JSON.stringify(members).slice(1)}`] }
}

const DOC = {
  summary: 'The next events of a consumer, oldest first, and a lease on them',
  description:
    'One instance reads at a time; others wait until its lease ends, and an acknowledgement needs the fence of the batch.',
  query: [
    {
      name: 'wait',
      description: 'Seconds to hold the answer until something matches, and until another instance ends.',
      schema: Type.Integer({ minimum: WAIT_SECONDS.min, maximum: WAIT_SECONDS.max }),
    },
    {
      name: 'limit',
      description: `Events at most, ${QUERY_LIMITS.defaultLimit} when absent.`,
      schema: Type.Integer({ minimum: 1, maximum: QUERY_LIMITS.limit }),
    },
    {
      name: 'fence',
      description: 'The number of the lease that this instance has, as in `ack`.',
      schema: Type.Integer({ minimum: 1 }),
    },
    {
      name: 'lease_seconds',
      description: `How long this instance may work before it acknowledges or extends the lease; ${CONSUMER_LIMITS.leaseSeconds.default} when absent.`,
      schema: Type.Integer({
        minimum: CONSUMER_LIMITS.leaseSeconds.min,
        maximum: CONSUMER_LIMITS.leaseSeconds.max,
      }),
    },
  ],
  answers: {
    200: {
      description: 'Events to work on; `ack` is what to post to …/ack afterwards',
      schema: Type.Object({
        items: Type.Array(named('Event')),
        count: Count,
        has_more: Type.Boolean(),
        epoch: Type.String(),
        leased_until: CapturedAt,
        ack: Type.Object({
          fence: Type.Integer({ minimum: 1 }),
          checkpoint: Type.Optional(CapturedAt),
          retried: Type.Optional(Type.Integer({ minimum: 1 })),
        }),
      }),
    },
  },
}
