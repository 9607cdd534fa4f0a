import { type NewEvent, targetChain } from '../../model/events/event.js'
import type { DeliveryExplanation, ExplainedEvent, KeyIdentity } from '../../model/platforms/explanation.js'
import { scopeKeysOf, toTarget } from '../../model/subscriptions/scope-key.js'
import type { DeliveryContext, WebhookAdapter, WebhookDelivery } from '../adapter.js'

/**
 * Explains what a delivery would become, and why. Verifies and stores nothing. Treats the delivery as verified, so that a
 * secret in the body is hidden.
 *
 * @throws AppError `invalid/invalid_json` for an unreadable body
 */
export function explainDelivery(
  adapter: WebhookAdapter<string>,
  delivery: WebhookDelivery,
  context: DeliveryContext,
): DeliveryExplanation {
  const asVerified: DeliveryContext = { ...context, verified: 'token' }
  const { events, ignored, deliveryId } = adapter.normalise(delivery, asVerified)
  const elsewhere = adapter.normalise(asAnotherDelivery(delivery), asVerified).events
  return {
    source: adapter.catalogue.source,
    ignored,
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    events: events.map((event, index) => {
      const from = elsewhere[index]?.dedupe_key === event.dedupe_key ? 'payload' : 'delivery'
      return { event, reasons: reasonsOf(adapter, event, from) }
    }),
  }
}

function reasonsOf(
  adapter: WebhookAdapter<string>,
  event: NewEvent,
  from: 'payload' | 'delivery',
): ExplainedEvent['reasons'] {
  const { native_event, native_action } = event.action.metadata
  return {
    native_event: String(native_event ?? ''),
    ...(typeof native_action === 'string' ? { native_action } : {}),
    row: adapter.catalogue.kinds.includes(event.kind) ? 'named' : 'generic',
    identity: { ...readKey(event), from },
    scope_keys: [...new Set(scopeKeysOf(event.target))],
    targets: targetsOf(event),
  }
}

/** Headers with the id of a delivery, or of one attempt at it. */
const DELIVERY_IDS = [
  ...['x-github-delivery', 'x-gitea-delivery', 'x-forgejo-delivery', 'x-gogs-delivery', 'x-discourse-event-id'],
  ...['idempotency-key', 'webhook-id', 'x-gitlab-event-uuid', 'x-gitlab-webhook-uuid'],
]

/** The same event as another hook would deliver it, with other ids and other bytes. */
function asAnotherDelivery({ headers, body }: WebhookDelivery): WebhookDelivery {
  const others = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, DELIVERY_IDS.includes(name) ? `${value}-2` : value]),
  )
  return { headers: others, body: Buffer.concat([body, Buffer.from(isForm(body) ? '&' : ' ')]) }
}

function isForm(body: Uint8Array): boolean {
  return /^[\w.%+-]+=/u.test(Buffer.from(body.subarray(0, 64)).toString('latin1'))
}

/**
 * Splits a dedupe key: `<source>:<host>:<object_type>:<native id>:<verb>[:<discriminator>]`. Only the words never
 * contain colons.
 */
function readKey({ dedupe_key, source, action: { object_type, verb } }: NewEvent): KeyIdentity {
  const [, host = '', type = '', rest = ''] = keyPattern(object_type).exec(dedupe_key.slice(source.length + 1)) ?? []
  const end = `:${verb}`
  const at = rest.endsWith(end) ? rest.length - end.length : rest.indexOf(`${end}:`)
  const discriminator = rest.slice(at + end.length + 1)
  return { host, object_type: type, id: rest.slice(0, at), verb, ...(discriminator ? { discriminator } : {}) }
}

/** The host may have a port. The key's object type may differ from the event's. */
function keyPattern(objectType: string): RegExp {
  return new RegExp(`^(.*?(?::\\d+)?):(${objectType}|(?!\\p{N}+:)[\\p{L}\\p{N}_-]+):(.*)$`, 'su')
}

function targetsOf({ source, target }: NewEvent): string[] {
  const targets = [...targetChain(target)].map(node => toTarget(source, { scope: node }))
  return [...new Set(targets.filter(text => text !== undefined))]
}
