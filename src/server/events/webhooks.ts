import Type from '#typebox'
import type { EventDelivery } from '../../ledger/ledger.js'
import { invalidField } from '../../model/app-error.js'
import type { Provenance } from '../../model/events/event.js'
import { toSite } from '../../model/platforms/site.js'
import type { DeliveryContext, WebhookAdapter, WebhookDelivery } from '../../platforms/adapter.js'
import {
  type AcceptedDelivery,
  acceptDelivery,
  type DeliveryRules,
  verifyDelivery,
} from '../../platforms/deliveries/accept-delivery.js'
import { usableSecrets } from '../../platforms/mapping/verification.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type HttpRequest, type RouteDoc } from '../http/route.js'
import type { LedgerMetrics } from '../ledger/ledger-metrics.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import type { ReadBody } from '../request/body.js'
import { Count } from './event-schemas.js'

/** Both code hosts send at most this, and drop larger deliveries. */
const MAX_BYTES = 25 * 1024 * 1024
/** Accepting more on this thread would keep other requests waiting for more than a few milliseconds. */
const LARGE_BYTES = 256 * 1024
/** Events of one transaction, so that other writers get a turn in between. */
const EVENTS_A_RECORD = 1_000

/** Accepts a delivery on another thread. @throws as `acceptDelivery` */
export type AcceptLargeDelivery = (
  adapter: WebhookAdapter,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
) => Promise<AcceptedDelivery>

export interface WebhookParts {
  ledger: ServedLedger
  readBody: ReadBody
  metrics: LedgerMetrics
  acceptLargeDelivery: AcceptLargeDelivery
  /** All currently valid secrets; none: deliveries cannot be proved. */
  secrets: readonly string[]
  /** Refuse unproved deliveries. */
  requireVerified: boolean
  /** Refuses pages of another origin. @throws AppError `forbidden/origin_not_allowed` */
  refuseForeignPage: (req: HttpRequest) => void
  /** Reads facts about the delivery from the request's address. @throws AppError `invalid/invalid_field` */
  readContext: (req: HttpRequest) => DeliveryContext
}

/**
 * `POST /webhooks/…`: a platform's delivery, verified over the received bytes before anything is parsed. Without a secret
 * nothing can be proved, and a page of another origin is refused: no platform sends an `Origin`. An event that the adapter
 * does not know is answered with 200: platforms disable receivers that refuse.
 */
export function receiveWebhook(adapter: WebhookAdapter, parts: WebhookParts): Endpoint {
  const { ledger, readBody, metrics, secrets, requireVerified, readContext, acceptLargeDelivery } = parts
  const canProve = usableSecrets(secrets).length > 0
  // Verified before it queues for the thread, where proved deliveries take precedence.
  const acceptLarge = (delivery: WebhookDelivery, rules: DeliveryRules) =>
    acceptLargeDelivery(
      adapter,
      delivery,
      adapter.provesInBody ? rules : { ...rules, verified: verifyDelivery(adapter, delivery, rules) },
    )
  return documented(docFor(adapter), async (req, res) => {
    if (!canProve) parts.refuseForeignPage(req)
    const rules: DeliveryRules = { secrets, requireVerified, context: readContext(req) }
    const delivery: WebhookDelivery = { headers: headerTexts(req), body: await readBody(req, res, MAX_BYTES) }
    const { verified, events, ignored, deliveryId } =
      delivery.body.byteLength > LARGE_BYTES
        ? await acceptLarge(delivery, rules)
        : acceptDelivery(adapter, delivery, rules)
    const provenance: Provenance = { route: 'webhook', verified, ...(deliveryId ? { delivery_id: deliveryId } : {}) }
    const deliveries = events.map(({ event, json }): EventDelivery => ({ event, json, provenance }))
    const created = await recordAll(ledger, deliveries, metrics)
    const counts = { created, duplicates: events.length - created, ignored }
    req.logged = { source: adapter.catalogue.source, verified, ...counts }
    return json(200, { ...counts, ...adapter.answer })
  })
}

/**
 * Not all or nothing: after a failure the platform sends the delivery again, and events that are already stored then count
 * as repeats.
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
 * The context of a platform whose deliveries do not name their server: as configured, else from `?site=` in the hook's
 * address. Other parameters are ignored.
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

const DELIVERY = { created: Count, duplicates: Count, ignored: Count }

const AnyJson = Type.Unknown()

function docFor({ catalogue }: WebhookAdapter): RouteDoc {
  return catalogue.source === 'chat' ? CHAT_DOC : DOC
}

const DOC = {
  summary: "Receives a platform's deliveries",
  description:
    'With a secret configured, a delivery without its proof is refused; events of unknown types are stored too.',
  body: { 'application/json': AnyJson, 'application/x-www-form-urlencoded': AnyJson },
  answers: { 200: { description: 'How many events it had', schema: Type.Object(DELIVERY) } },
} satisfies RouteDoc

const ChatDeliverySchema = Type.Object({
  ...DELIVERY,
  response_not_required: Type.Literal(true, { description: 'The platform is to post nothing for it.' }),
})

const CHAT_DOC: RouteDoc = {
  ...DOC,
  summary: "Receives the chat platform's deliveries",
  description:
    'From outgoing webhooks and from programs that forward events; with a secret configured, each must have the token.',
  query: [
    {
      name: 'site',
      description: 'Address of the chat server, such as https://chat.example.org; EVENT_CHAT_URL takes precedence.',
      schema: Type.String({ format: 'uri' }),
    },
  ],
  answers: { 200: { description: 'How many events it had', schema: ChatDeliverySchema } },
}
