import { SUBSCRIPTION_LIMITS } from '../model/subscription.js'
import type { ReadBody } from './body.js'
import { readJson } from './json-bytes.js'
import { readMediaType } from './media-type.js'
import { pathParam } from './path-param.js'
import { json } from './reply.js'
import type { Handler } from './route.js'
import type { ServedLedger } from './served-ledger.js'

/** `POST /api/subscriptions`: creates, or merges into the one whose id is sent. */
export function saveSubscription(ledger: ServedLedger, readBody: ReadBody): Handler {
  return async (req, res) => {
    readMediaType(req, ['application/json'])
    const saved = await ledger.saveSubscription(readJson(await readBody(req, res, SUBSCRIPTION_LIMITS.bytes)))
    return json(saved.created ? 201 : 200, { created: saved.created, subscription: saved.subscription })
  }
}

/** `GET /api/subscriptions` */
export function listSubscriptions(ledger: ServedLedger): Handler {
  return async () => {
    const items = await ledger.listSubscriptions()
    return json(200, { items, count: items.length })
  }
}

/** `GET /api/subscriptions/:id` */
export function getSubscription(ledger: ServedLedger): Handler {
  return async req => json(200, await ledger.getSubscription(pathParam(req)))
}

/** `DELETE /api/subscriptions/:id`. Captured events stay. */
export function deleteSubscription(ledger: ServedLedger): Handler {
  return async req => {
    await ledger.deleteSubscription(pathParam(req))
    return { status: 204, body: '' }
  }
}
