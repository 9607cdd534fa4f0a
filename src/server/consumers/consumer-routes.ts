import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { Consumers } from '../../ledger/consumers/consumers.js'
import { CONSUMER_LIMITS } from '../../model/consumers/consumer.js'
import { CapturedAt, CapturedAtOrNull, Count, named } from '../../model/ledger-answers.js'
import type { DeadLetterChoice } from '../../store/consumer-store.js'
import { json } from '../answer/reply.js'
import { documented, type HttpRequest, type LedgerEndpoint } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'
import { toCaller } from '../request/caller.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'
import {
  AcknowledgementSchema,
  ConsumerInputSchema,
  FiltersSchema,
  readAcknowledgement,
  readConsumerInput,
  readSeek,
  SeekSchema,
} from './consumer-input.js'

/** The consumers of a ledger, as routes use them. */
export type ServedConsumers = Pick<
  Consumers,
  | 'save'
  | 'list'
  | 'get'
  | 'delete'
  | 'seek'
  | 'acknowledge'
  | 'nextBatch'
  | 'release'
  | 'listDeadLetters'
  | 'retryDeadLetters'
  | 'deleteDeadLetters'
  | 'countStalled'
>

interface ConsumerRouteParts {
  ledger: { consumers: ServedConsumers }
  readJsonBody: ReadJsonBody
}

/** `PUT /api/consumers/:name` */
export function saveConsumer({ ledger, readJsonBody }: ConsumerRouteParts): LedgerEndpoint {
  return documented(DOCS.save, async (req, res) => {
    const input = readConsumerInput(await readJsonBody(req, res, CONSUMER_LIMITS.bytes))
    const { created, consumer } = await ledger.consumers.save(pathParam(req), input, toCaller(req.identity))
    return json(created ? 201 : 200, { created, consumer })
  })
}

/** `GET /api/consumers`: a member's own, an admin's all. */
export function listConsumers({ ledger }: Pick<ConsumerRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.list, async req => {
    const items = await ledger.consumers.list(toCaller(req.identity))
    return json(200, { items, count: items.length })
  })
}

/** `GET /api/consumers/:name` */
export function getConsumer({ ledger }: Pick<ConsumerRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.get, async req =>
    json(200, await ledger.consumers.get(pathParam(req), toCaller(req.identity))),
  )
}

/** `DELETE /api/consumers/:name` */
export function deleteConsumer({ ledger }: Pick<ConsumerRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.delete, async req => {
    await ledger.consumers.delete(pathParam(req), toCaller(req.identity))
    return { status: 204, body: '' }
  })
}

/** `POST /api/consumers/:name/ack` */
export function acknowledge({ ledger, readJsonBody }: ConsumerRouteParts): LedgerEndpoint {
  return documented(DOCS.acknowledge, async (req, res) => {
    const input = readAcknowledgement(await readJsonBody(req, res, CONSUMER_LIMITS.bytes))
    const { dead_letters } = await ledger.consumers.acknowledge(pathParam(req, 1), input, toCaller(req.identity))
    return json(200, { acknowledged: true, dead_letters })
  })
}

/** `POST /api/consumers/:name/seek` */
export function seekConsumer({ ledger, readJsonBody }: ConsumerRouteParts): LedgerEndpoint {
  return documented(DOCS.seek, async (req, res) => {
    const position = readSeek(await readJsonBody(req, res, CONSUMER_LIMITS.bytes))
    return json(200, await ledger.consumers.seek(pathParam(req, 1), position, toCaller(req.identity)))
  })
}

/** `GET /api/consumers/:name/dead-letters`: a page by id. */
export function listDeadLetters({ ledger }: Pick<ConsumerRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.listDeadLetters, async req => {
    const params = new QueryString(req.search, ['after', 'limit'])
    const after = params.integer('after', { min: 0, max: 999_999_999 }) ?? 0
    const limit = params.integer('limit', { min: 1, max: CONSUMER_LIMITS.page }) ?? 100
    params.finish()
    const page = { after, limit: limit + 1 }
    const found = await ledger.consumers.listDeadLetters(pathParam(req, 1), page, toCaller(req.identity))
    const items = found.slice(0, limit)
    const next = found.length > limit ? (items.at(-1)?.id ?? null) : null
    return json(200, { items, count: items.length, next })
  })
}

/** `POST …/dead-letters/retry` and `POST …/dead-letters/:id/retry` */
export function retryDeadLetters(
  { ledger }: Pick<ConsumerRouteParts, 'ledger'>,
  which: DeadLettersInPath,
): LedgerEndpoint {
  return documented(DOCS.retry, async req => {
    const { name, choice } = which(req, 1)
    return json(200, { retrying: await ledger.consumers.retryDeadLetters(name, choice, toCaller(req.identity)) })
  })
}

/** `DELETE …/dead-letters` and `DELETE …/dead-letters/:id` */
export function deleteDeadLetters(
  { ledger }: Pick<ConsumerRouteParts, 'ledger'>,
  which: DeadLettersInPath,
): LedgerEndpoint {
  return documented(DOCS.deleteDeadLetters, async req => {
    const { name, choice } = which(req, 0)
    return json(200, { deleted: await ledger.consumers.deleteDeadLetters(name, choice, toCaller(req.identity)) })
  })
}

/** The consumer and the dead letters that a path names. @param after how many segments follow */
type DeadLettersInPath = (req: HttpRequest<Identity>, after: number) => { name: string; choice: DeadLetterChoice }

export const chooseAllDeadLetters: DeadLettersInPath = (req, after) => ({
  name: pathParam(req, after + 1),
  choice: 'all',
})

export const chooseOneDeadLetter: DeadLettersInPath = (req, after) => {
  const id = pathParam(req, after)
  // No dead letter has the id 0, so an id that is not a number is not found.
  return { name: pathParam(req, after + 2), choice: /^\d{1,15}$/.test(id) ? Number(id) : 0 }
}

export const ConsumerSchema = Type.Object({
  name: Type.String(),
  owner_user_id: Type.Union([Type.String(), Type.Null()]),
  filters: FiltersSchema,
  checkpoint: CapturedAt,
  epoch: Type.String(),
  epoch_changed: Type.Boolean(),
  lag: Type.Object({
    events: Count,
    seconds: Type.Number({ minimum: 0 }),
    exact: Type.Boolean({ description: 'If false, events is at least, and seconds at most.' }),
  }),
  leased_until: CapturedAtOrNull,
  acknowledged_at: CapturedAtOrNull,
  failures: Count,
  last_error: Type.Union([Type.String(), Type.Null()]),
  failed_at: CapturedAtOrNull,
  dead_letters: Count,
  created_at: CapturedAt,
  updated_at: CapturedAt,
})

const DeadLetterSchema = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  dedupe_key: Type.String(),
  captured_at: CapturedAt,
  error: Type.String(),
  attempts: Type.Integer({ minimum: 1 }),
  failed_at: CapturedAt,
  retrying: Type.Boolean(),
})

const DOCS = {
  save: {
    summary: 'Creates a consumer, or replaces the filters of the one with this name',
    description: 'The checkpoint of an existing consumer stays.',
    body: { 'application/json': ConsumerInputSchema },
    answers: {
      201: { description: 'Created', schema: savedSchema() },
      200: { description: 'Updated', schema: savedSchema() },
    },
  },
  list: {
    summary: 'All consumers, with their lag',
    description: 'A member receives its own consumers, an admin all of them.',
    answers: {
      200: {
        description: 'The consumers, by name',
        schema: Type.Object({ items: Type.Array(named('Consumer')), count: Count }),
      },
    },
  },
  get: {
    summary: 'One consumer, with its lag',
    description: 'Has filters, checkpoint, lag, the last failure and the number of dead letters.',
    answers: { 200: { description: 'The consumer', schema: named('Consumer') } },
  },
  delete: {
    summary: 'Deletes a consumer with its dead letters; events stay',
    description: 'A new consumer with the same name begins again.',
    answers: { 204: { description: 'Deleted' } },
  },
  acknowledge: {
    summary: 'Acknowledges events: moves the checkpoint, keeps dead letters, extends the lease',
    description: 'A checkpoint that goes back, or beyond what was read, is refused.',
    body: { 'application/json': AcknowledgementSchema },
    answers: {
      200: {
        description: 'Acknowledged',
        schema: Type.Object({ acknowledged: Type.Literal(true), dead_letters: Count }),
      },
    },
  },
  seek: {
    summary: 'Sets where a consumer continues, and ends the lease of the instance that reads',
    description: 'The instance receives events from the new place with its next request.',
    body: { 'application/json': SeekSchema },
    answers: { 200: { description: 'The consumer', schema: named('Consumer') } },
  },
  listDeadLetters: {
    summary: 'Events that a consumer gave up',
    description:
      'Each has the error of its last attempt; continue with `after` set to the `next` of the previous page.',
    query: [
      {
        name: 'limit',
        description: 'How many at most, 100 when absent.',
        schema: Type.Integer({ minimum: 1, maximum: CONSUMER_LIMITS.page }),
      },
      {
        name: 'after',
        description: '`next` of the page before.',
        schema: Type.Integer({ minimum: 0 }),
      },
    ],
    answers: {
      200: {
        description: 'A page of them, the oldest first',
        schema: Type.Object({
          items: Type.Array(DeadLetterSchema),
          count: Count,
          next: Type.Union([Type.Integer(), Type.Null()]),
        }),
      },
    },
  },
  retry: {
    summary: 'Has dead letters delivered again',
    description: 'They come with the next batches of the consumer.',
    answers: { 200: { description: 'How many', schema: Type.Object({ retrying: Count }) } },
  },
  deleteDeadLetters: {
    summary: 'Gives dead letters up',
    description: 'Deletes them from the list of the consumer; the events stay in the ledger.',
    answers: { 200: { description: 'How many', schema: Type.Object({ deleted: Count }) } },
  },
}

function savedSchema() {
  return Type.Object({ created: Type.Boolean(), consumer: named('Consumer') })
}
