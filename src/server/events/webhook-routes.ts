import type { ServerResponse } from 'node:http'
import Type from '#typebox'
import type { EventDelivery } from '../../ledger/event-recorder.js'
import { AppError, invalidField } from '../../model/app-error.js'
import type { Provenance } from '../../model/events/event.js'
import { Count } from '../../model/ledger-answers.js'
import { toSite } from '../../model/platforms/site.js'
import type { DeliveryContext, WebhookAdapter, WebhookDelivery } from '../../platforms/adapter.js'
import {
  type AcceptedDelivery,
  acceptDelivery,
  type DeliveryRules,
  verifyDelivery,
} from '../../platforms/deliveries/accept-delivery.js'
import { usableSecrets } from '../../platforms/signatures/match-secrets.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type HttpRequest, type Reply, type RouteDoc } from '../http/route.js'
import type { LedgerMetrics } from '../ledger/ledger-metrics.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import type { ReadBody } from '../request/body.js'
import { pathParam } from '../request/path-param.js'
import { echoReply } from './echo.js'
import type { ServedSources } from './source-routes.js'

/** Both code hosts send at most this, and drop larger deliveries. */
const MAX_BYTES = 25 * 1024 * 1024
/** Accepting a larger delivery on this thread would delay other requests by more than a few milliseconds. */
const LARGE_BYTES = 256 * 1024
/** Maximum number of events per transaction, so that other writers get a turn in between. */
const EVENTS_A_RECORD = 1_000

/** Accepts a delivery on another thread. @throws as `acceptDelivery` */
export type AcceptLargeDelivery = (
  adapter: WebhookAdapter<string>,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
) => Promise<AcceptedDelivery>

interface WebhookParts {
  ledger: ServedLedger
  readBody: ReadBody
  metrics: LedgerMetrics
  acceptLargeDelivery: AcceptLargeDelivery
  /** Refuse unverified deliveries. */
  requireVerified: boolean
  /** Refuses pages of another origin. @throws AppError `forbidden/origin_not_allowed` */
  refuseForeignPage: (req: HttpRequest) => void
}

interface PlatformParts extends WebhookParts {
  /** All currently valid secrets; none: deliveries cannot be verified. */
  secrets: readonly string[]
  /** Reads facts about the delivery from the request's address. @throws AppError `invalid/invalid_field` */
  readContext: (req: HttpRequest) => DeliveryContext
}

export interface DefinedSourceParts extends WebhookParts {
  ledger: ServedLedger & { sources: Pick<ServedSources, 'find'> }
}

/**
 * `POST /webhooks/…`: a platform's delivery, verified over the received bytes before anything is parsed. Without a
 * secret nothing can be verified, and a page of another origin is refused: no platform sends an `Origin`. An event that
 * the adapter does not know is answered with 200, because platforms disable receivers that refuse.
 */
export function receiveWebhook(adapter: WebhookAdapter, parts: PlatformParts): Endpoint {
  const { secrets, readContext } = parts
  return documented(docFor(adapter), (req, res) =>
    receive(adapter, parts, { req, res, secrets, context: readContext(req) }),
  )
}

/**
 * `POST /webhooks/in/:name`: a delivery to a source that an operator has defined. A delivery that matches no rule is
 * kept whole, so that an operator can map it later.
 */
export function receiveDefinedSource(parts: DefinedSourceParts, segmentsAfterName = 0): Endpoint {
  return documented(DEFINED_SOURCE_DOC, async (req, res) => {
    const name = pathParam(req, segmentsAfterName)
    const source = await parts.ledger.sources.find(name)
    if (source === undefined) {
      parts.refuseForeignPage(req)
      throw noSuchSource()
    }
    const { adapter, secrets } = source
    const { enabled, echo } = adapter.definition
    const echoed = enabled === false ? undefined : echoReply(echo, req)
    if (echoed) return echoed
    req.logged = { source: name }
    return receive(adapter, parts, { req, res, secrets, context: {}, query: req.search, decompress: true })
  })
}

export function noSuchSource(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such source.')
}

/** One arrival, with all currently valid secrets. Without secrets it cannot be verified. */
interface Arrival {
  req: HttpRequest
  res: ServerResponse
  secrets: readonly string[]
  context: DeliveryContext
  /** Query of the address, with its `?`, if it may contain the proof. */
  query?: string
  /** Accepts a compressed body. The signature covers the uncompressed body. */
  decompress?: boolean
}

async function receive(
  adapter: WebhookAdapter<string>,
  { ledger, readBody, metrics, requireVerified, acceptLargeDelivery, refuseForeignPage }: WebhookParts,
  { req, res, secrets, context, query, decompress = false }: Arrival,
): Promise<Reply> {
  if (usableSecrets(secrets).length === 0 || adapter.isUnverified) refuseForeignPage(req)
  const rules: DeliveryRules = { secrets, requireVerified, context }
  const delivery: WebhookDelivery = {
    headers: headerTexts(req),
    body: await readBody(req, res, MAX_BYTES, { decompress }),
    ...(query ? { query } : {}),
  }
  // Verified before it queues for the thread, because verified deliveries take precedence there.
  const acceptLarge = () =>
    acceptLargeDelivery(
      adapter,
      delivery,
      adapter.provesInBody ? rules : { ...rules, verified: verifyDelivery(adapter, delivery, rules) },
    )
  const { verified, events, ignored, deliveryId, answer } =
    delivery.body.byteLength > LARGE_BYTES ? await acceptLarge() : acceptDelivery(adapter, delivery, rules)
  const provenance: Provenance = { route: 'webhook', verified, ...(deliveryId ? { delivery_id: deliveryId } : {}) }
  const deliveries = events.map(({ event, json }): EventDelivery => ({ event, json, provenance }))
  const created = await recordAll(ledger, deliveries, metrics)
  const counts = { created, duplicates: events.length - created, ignored }
  req.logged = { source: adapter.catalogue.source, verified, ...counts }
  if (typeof answer === 'string') return { status: 200, type: 'text/plain; charset=utf-8', body: answer }
  return json(200, answer === undefined ? { ...counts, ...adapter.answer } : { ...answer })
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
 * address, else the fallback. Other parameters are ignored.
 */
export function readSiteContext(
  configured: string | undefined,
  fallback?: string | undefined,
): PlatformParts['readContext'] {
  return ({ search }) => {
    const sent = configured === undefined && search ? new URLSearchParams(search).getAll('site') : []
    if (sent.length === 0) return { site: configured ?? fallback }
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

const DEFINED_SOURCE_DOC: RouteDoc = {
  ...DOC,
  summary: 'Receives the deliveries of a source that an operator has defined',
  description:
    'The definition decides how a delivery proves itself. One that no rule of it fits is kept as delivery.unmapped.',
  body: { ...DOC.body, '*/*': AnyJson },
  answers: {
    200: {
      description: 'How many events it had, or the answer that it asked for',
      type: ['application/json', 'text/plain'],
      schema: Type.Union([Type.Object(DELIVERY), Type.Record(Type.String(), AnyJson)]),
    },
  },
}

const ChatDeliverySchema = Type.Object({
  ...DELIVERY,
  response_not_required: Type.Literal(true, { description: 'Tells the platform to post nothing in reply.' }),
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
