import Type from '#typebox'
import { AppError } from '../../model/app-error.js'
import { CapturedAt, Count, named } from '../../model/ledger-answers.js'
import { SUBSCRIPTION_LIMITS } from '../../model/subscriptions/subscription.js'
import { json } from '../answer/reply.js'
import { closeSignal } from '../answer/slow-reader.js'
import { documented, type LedgerEndpoint } from '../http/route.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import type { ReadJsonBody } from '../request/body.js'
import { toCaller } from '../request/caller.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'

interface SubscriptionRouteParts {
  ledger: ServedLedger
  readJsonBody: ReadJsonBody
}

/** `POST /api/subscriptions` */
export function saveSubscription({ ledger, readJsonBody }: SubscriptionRouteParts): LedgerEndpoint {
  return documented(DOCS.save, async (req, res) => {
    const input = await readJsonBody(req, res, SUBSCRIPTION_LIMITS.bytes)
    const { created, subscription } = await ledger.saveSubscription(input, toCaller(req.identity))
    return json(created ? 201 : 200, { created, subscription })
  })
}

/** Each preview reads some thousands of events on the thread that serves all requests. */
const MAX_PREVIEWS = 4

/** `POST /api/subscriptions/preview` */
export function previewSubscription({ ledger, readJsonBody }: SubscriptionRouteParts): LedgerEndpoint {
  let inProgress = 0
  return documented(DOCS.preview, async (req, res) => {
    const input = await readJsonBody(req, res, SUBSCRIPTION_LIMITS.bytes)
    if (inProgress === MAX_PREVIEWS) {
      throw new AppError('unavailable', 'busy', 'Too many previews are running. Try again in a moment.', {
        retryAfterSeconds: 1,
      })
    }
    inProgress++
    try {
      return json(200, await ledger.previewSubscription(input, toCaller(req.identity), closeSignal(res)))
    } finally {
      inProgress--
    }
  })
}

/** `GET /api/subscriptions`: a member's own, an admin's all; in pages if `limit` or `after` is given. */
export function listSubscriptions({ ledger }: Pick<SubscriptionRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.list, async req => {
    const caller = toCaller(req.identity)
    const { limit, after } = readPage(req.search)
    if (limit !== undefined || after !== undefined) {
      const page = await ledger.pageSubscriptions(caller, { after, limit: limit ?? SUBSCRIPTION_LIMITS.page })
      return json(200, { items: page.items, count: page.items.length, next: page.next })
    }
    const items = await ledger.listSubscriptions(caller)
    return json(200, { items, count: items.length })
  })
}

function readPage(search: string): { limit: number | undefined; after: string | undefined } {
  const params = new QueryString(search, ['limit', 'after'])
  const limit = params.integer('limit', { min: 1, max: SUBSCRIPTION_LIMITS.page })
  const after = params.text('after', SUBSCRIPTION_LIMITS.idCharacters)
  if (after?.includes('\0')) params.refuse('after', 'after must not contain a NUL character.')
  params.finish()
  return { limit, after }
}

/** `GET /api/subscriptions/:id` */
export function getSubscription({ ledger }: Pick<SubscriptionRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.get, async req =>
    json(200, await ledger.getSubscription(pathParam(req), toCaller(req.identity))),
  )
}

/** `DELETE /api/subscriptions/:id` */
export function deleteSubscription({ ledger }: Pick<SubscriptionRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.delete, async req => {
    await ledger.deleteSubscription(pathParam(req), toCaller(req.identity))
    return { status: 204, body: '' }
  })
}

const PreviewSchema = Type.Object({
  count: Type.Integer({ minimum: 0, description: 'Since `counted_from`.' }),
  by_day: Type.Array(Type.Object({ start: CapturedAt, count: Count })),
  examples: Type.Array(named('EventWithoutPayload'), { description: 'The newest three.' }),
  seen: Type.Boolean({ description: 'Whether this source and target had events of any kind.' }),
  complete: Type.Boolean({ description: 'Whether all of the days are counted.' }),
  counted_from: CapturedAt,
  understood: Type.Object({
    source: Type.String(),
    target: Type.String(),
    scope: Type.Object({}, { additionalProperties: true }),
    filters: Type.Object({}, { additionalProperties: true }),
    event_kinds: Type.Array(Type.String()),
    actions: Type.Array(Type.Object({ kind: Type.String(), object_type: Type.String(), verb: Type.String() })),
  }),
})

const SavedSchema = Type.Object({ created: Type.Boolean(), subscription: named('Subscription') })

const ListSchema = Type.Object({
  items: Type.Array(named('Subscription')),
  count: Count,
  next: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Only with limit or after: the value of after for the next page; null at the end.',
    }),
  ),
})

const DOCS = {
  save: {
    summary: 'Creates a subscription, or merges into the one with the id sent',
    description: 'Members that are not sent stay as they are; events captured from then on are matched with it.',
    body: { 'application/json': named('SubscriptionChange') },
    answers: {
      201: { description: 'Created', schema: SavedSchema },
      200: { description: 'Updated', schema: SavedSchema },
    },
  },
  preview: {
    summary: 'The events of the last 7 days that a draft of a subscription would have matched; stores nothing',
    description: 'Also shows how the draft is understood, and whether its place had any events.',
    body: { 'application/json': named('SubscriptionChange') },
    answers: { 200: { description: 'Counts and examples', schema: PreviewSchema } },
  },
  list: {
    summary: 'All subscriptions, or with limit or after a page of them',
    description: 'A member receives its own subscriptions, an admin all of them.',
    query: [
      {
        name: 'limit',
        description: `How many at most; ${SUBSCRIPTION_LIMITS.page} if only after is sent.`,
        schema: Type.Integer({ minimum: 1, maximum: SUBSCRIPTION_LIMITS.page }),
      },
      {
        name: 'after',
        description: 'The id after which the page begins: `next` of the page before.',
        schema: Type.String(),
      },
    ],
    answers: { 200: { description: 'The subscriptions', schema: ListSchema } },
  },
  get: {
    summary: 'One subscription',
    description: 'Has its filters, its state and its last capture.',
    answers: { 200: { description: 'The subscription', schema: named('Subscription') } },
  },
  delete: {
    summary: 'Deletes a subscription; captured events stay',
    description: 'Events that it matched keep its id.',
    answers: { 204: { description: 'Deleted' } },
  },
}
