import { AppError } from '../model/app-error.js'
import type { Provenance } from '../model/event.js'
import type { WebhookAdapter, WebhookDelivery } from '../platforms/adapter.js'
import type { ReadBody } from './body.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { json } from './reply.js'
import type { Handler, HttpRequest } from './route.js'
import type { ServedLedger } from './served-ledger.js'

/** Both code hosts send up to this; larger deliveries they drop by themselves. */
const MAX_BYTES = 25 * 1024 * 1024

export interface WebhookParts {
  ledger: ServedLedger
  readBody: ReadBody
  metrics: LedgerMetrics
  /** All secrets that are valid now; none: deliveries cannot prove anything. */
  secrets: readonly string[]
  /** Refuse deliveries that prove nothing. */
  requireVerified: boolean
}

/**
 * `POST /webhooks/…`: a platform's delivery. It is verified over the bytes received, before anything is parsed.
 * An event the adapter does not know is its business and is answered 200: platforms disable receivers that refuse.
 */
export function receiveWebhook(adapter: WebhookAdapter, parts: WebhookParts): Handler {
  const { ledger, readBody, metrics, secrets, requireVerified } = parts
  return async (req, res) => {
    const delivery: WebhookDelivery = { headers: headerTexts(req), body: await readBody(req, res, MAX_BYTES) }
    const verified = adapter.verify(delivery, secrets)
    if (verified === 'none' && requireVerified) {
      throw new AppError(
        'forbidden',
        'delivery_unverified',
        'This ledger takes only deliveries that prove where they come from.',
        {
          hint: 'Configure the same secret here and on the platform.',
        },
      )
    }
    const { events, ignored, deliveryId } = adapter.normalise(delivery)
    const provenance: Provenance = { route: 'webhook', verified, ...(deliveryId ? { delivery_id: deliveryId } : {}) }
    const outcomes = events.length > 0 ? await ledger.record(events.map(event => ({ event, provenance }))) : []
    for (const outcome of outcomes) metrics.countDelivery('webhook', outcome.created)
    const created = outcomes.filter(outcome => outcome.created).length
    const counts = { created, duplicates: outcomes.length - created, ignored }
    req.logged = { source: adapter.catalogue.source, verified, ...counts }
    return json(200, counts)
  }
}

/** No prototype: header names come from outside. */
function headerTexts(req: HttpRequest): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = Object.create(null)
  for (const [name, value] of Object.entries(req.headers)) if (typeof value === 'string') texts[name] = value
  return texts
}
