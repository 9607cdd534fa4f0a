import type { EventDelivery } from '../ledger/ledger.js'
import { invalidField } from '../model/app-error.js'
import type { Provenance } from '../model/events/event.js'
import { toSite } from '../model/platforms/site.js'
import type { DeliveryContext, WebhookAdapter, WebhookDelivery } from '../platforms/adapter.js'
import {
  type AcceptedDelivery,
  acceptDelivery,
  type DeliveryRules,
  verifyDelivery,
} from '../platforms/deliveries/accept-delivery.js'
import { usableSecrets } from '../platforms/mapping/verification.js'
import type { ReadBody } from './body.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { json } from './reply.js'
import type { Handler, HttpRequest } from './route.js'
import type { ServedLedger } from './served-ledger.js'

/** Both code hosts send up to this; larger deliveries they drop by themselves. */
const MAX_BYTES = 25 * 1024 * 1024
/** Taking more on this thread would keep other requests waiting for more than a few milliseconds. */
const LARGE_BYTES = 256 * 1024
/** Events that one transaction takes, so that whoever writes meanwhile gets a turn. */
const EVENTS_A_RECORD = 1_000

/** Takes a delivery without keeping the caller's thread busy. @throws as `acceptDelivery` */
export type TakeLargeDelivery = (
  adapter: WebhookAdapter,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
) => Promise<AcceptedDelivery>

export interface WebhookParts {
  ledger: ServedLedger
  readBody: ReadBody
  metrics: LedgerMetrics
  takeLargeDelivery: TakeLargeDelivery
  /** All secrets that are valid now; none: deliveries cannot prove anything. */
  secrets: readonly string[]
  /** Refuse deliveries that prove nothing. */
  requireVerified: boolean
  /** Keeps out pages of another origin. @throws AppError `forbidden/origin_not_allowed` */
  refuseForeignPage: (req: HttpRequest) => void
  /** What the request's address tells of a delivery. @throws AppError `invalid/invalid_field` */
  readContext: (req: HttpRequest) => DeliveryContext
}

/**
 * `POST /webhooks/…`: a platform's delivery. It is verified over the bytes received, before anything is parsed. Without a
 * secret nothing can be proved, and a page of another origin is refused: no platform sends an `Origin`.
 * An event the adapter does not know is its business and is answered 200: platforms disable receivers that refuse.
 */
export function receiveWebhook(adapter: WebhookAdapter, parts: WebhookParts): Handler {
  const { ledger, readBody, metrics, secrets, requireVerified, readContext, takeLargeDelivery } = parts
  const canProve = usableSecrets(secrets).length > 0
  // Verified before it queues for the thread, where proved deliveries take precedence.
  const takeLarge = (delivery: WebhookDelivery, rules: DeliveryRules) =>
    takeLargeDelivery(
      adapter,
      delivery,
      adapter.provesInBody ? rules : { ...rules, verified: verifyDelivery(adapter, delivery, rules) },
    )
  return async (req, res) => {
    if (!canProve) parts.refuseForeignPage(req)
    const rules: DeliveryRules = { secrets, requireVerified, context: readContext(req) }
    const delivery: WebhookDelivery = { headers: headerTexts(req), body: await readBody(req, res, MAX_BYTES) }
    const { verified, events, ignored, deliveryId } =
      delivery.body.byteLength > LARGE_BYTES
        ? await takeLarge(delivery, rules)
        : acceptDelivery(adapter, delivery, rules)
    const provenance: Provenance = { route: 'webhook', verified, ...(deliveryId ? { delivery_id: deliveryId } : {}) }
    const deliveries = events.map(({ event, json }): EventDelivery => ({ event, json, provenance }))
    const created = await recordAll(ledger, deliveries, metrics)
    const counts = { created, duplicates: events.length - created, ignored }
    req.logged = { source: adapter.catalogue.source, verified, ...counts }
    return json(200, { ...counts, ...adapter.answer })
  }
}

/**
 * Not all or nothing: a platform that is told of a failure sends the delivery again, and what is stored already is then
 * counted as a repeat.
 *
 * @returns how many were new
 */
async function recordAll(ledger: ServedLedger, deliveries: EventDelivery[], metrics: LedgerMetrics): Promise<number> {
  let created = 0
  for (let from = 0; from < deliveries.length; from += EVENTS_A_RECORD) {
    const outcomes = await ledger.record(deliveries.slice(from, from + EVENTS_A_RECORD))
    for (const outcome of outcomes) {
      metrics.countDelivery('webhook', outcome.created)
      if (outcome.created) created++
    }
  }
  return created
}

/**
 * The context of a platform whose deliveries do not name their server: as configured, else as `?site=` of the hook's
 * address says. What else stands in the query is the sender's business.
 */
export function readSiteContext(configured: string | undefined): WebhookParts['readContext'] {
  return ({ search }) => {
    const sent = configured === undefined && search ? new URLSearchParams(search).getAll('site') : []
    if (sent.length === 0) return { site: configured }
    const [site, ...others] = sent.map(toSite)
    if (site !== undefined && others.length === 0) return { site }
    const detail = 'site must be the http or https address of one server. Write it like https://chat.example.org.'
    throw invalidField('site', detail)
  }
}

/** No prototype: header names come from outside. */
function headerTexts(req: HttpRequest): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = Object.create(null)
  for (const [name, value] of Object.entries(req.headers)) if (typeof value === 'string') texts[name] = value
  return texts
}
