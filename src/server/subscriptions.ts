import { type Identity, isAdmin, userOf } from '../accounts/identity.js'
import type { SubscriptionCaller } from '../ledger/subscription-caller.js'
import { AppError } from '../model/app-error.js'
import { SUBSCRIPTION_LIMITS } from '../model/subscriptions/subscription.js'
import type { ReadJsonBody } from './json-body.js'
import { pathParam } from './path-param.js'
import { QueryString } from './query-string.js'
import { whenGone } from './read-events.js'
import { json } from './reply.js'
import type { LedgerHandler } from './route.js'
import type { ServedLedger } from './served-ledger.js'

/** `POST /api/subscriptions`: creates, or merges into the one whose id is sent. */
export function saveSubscription(ledger: ServedLedger, readJsonBody: ReadJsonBody): LedgerHandler {
  return async (req, res) => {
    const input = await readJsonBody(req, res, SUBSCRIPTION_LIMITS.bytes)
    const { created, subscription } = await ledger.saveSubscription(input, toCaller(req.identity))
    return json(created ? 201 : 200, { created, subscription })
  }
}

/** Each reads some thousands of events on the thread that answers everybody. */
const PREVIEWS_AT_ONCE = 4

/** `POST /api/subscriptions/preview`: what a draft would have matched. Stores nothing. */
export function previewSubscription(ledger: ServedLedger, readJsonBody: ReadJsonBody): LedgerHandler {
  let underWay = 0
  return async (req, res) => {
    const input = await readJsonBody(req, res, SUBSCRIPTION_LIMITS.bytes)
    if (underWay === PREVIEWS_AT_ONCE) {
      throw new AppError('unavailable', 'busy', 'Too many previews are being made at once.', { retryAfterSeconds: 1 })
    }
    underWay++
    try {
      return json(200, await ledger.previewSubscription(input, toCaller(req.identity), whenGone(res)))
    } finally {
      underWay--
    }
  }
}

/** `GET /api/subscriptions`: a member's own, an admin's all; in pages where `limit` or `after` asks for that. */
export function listSubscriptions(ledger: ServedLedger): LedgerHandler {
  return async req => {
    const caller = toCaller(req.identity)
    const { limit, after } = readPage(req.search)
    if (limit !== undefined || after !== undefined) {
      const page = await ledger.pageSubscriptions(caller, { after, limit: limit ?? SUBSCRIPTION_LIMITS.page })
      return json(200, { items: page.items, count: page.items.length, next: page.next })
    }
    const items = await ledger.listSubscriptions(caller)
    return json(200, { items, count: items.length })
  }
}

function readPage(search: string): { limit: number | undefined; after: string | undefined } {
  const params = new QueryString(search, ['limit', 'after'])
  const limit = params.integer('limit', { min: 1, max: SUBSCRIPTION_LIMITS.page })
  const after = params.text('after', SUBSCRIPTION_LIMITS.idCharacters)
  params.finish()
  return { limit, after }
}

/** `GET /api/subscriptions/:id` */
export function getSubscription(ledger: ServedLedger): LedgerHandler {
  return async req => json(200, await ledger.getSubscription(pathParam(req), toCaller(req.identity)))
}

/** `DELETE /api/subscriptions/:id`. Captured events stay. */
export function deleteSubscription(ledger: ServedLedger): LedgerHandler {
  return async req => {
    await ledger.deleteSubscription(pathParam(req), toCaller(req.identity))
    return { status: 204, body: '' }
  }
}

/** The rights that go with an identity. */
function toCaller(identity: Identity): SubscriptionCaller {
  if (isAdmin(identity)) return { role: 'admin' }
  const user = userOf(identity)
  if (user) return { role: 'member', userId: user.id }
  if (identity.kind === 'open') return { role: 'open' }
  throw new Error('Subscriptions were reached without a login')
}
