import { isObject } from '../../model/json-object.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { isForm, parseJson, payloadField, textOf, unreadable, withinDepth } from '../deliveries/delivery-body.js'
import { toEvent } from '../mapping/mapped-event.js'
import { known, type Payload } from '../mapping/payload.js'
import { MAPPINGS } from './event-mappings.js'
import { mapGeneric } from './generic.js'
import { type Hook, readHook } from './hook.js'
import { actorOf } from './person.js'

/**
 * Creates the event of one delivery. Every JSON object yields an event, however incomplete. An event without a mapping is
 * recorded under the platform's own names. Only pings contain nothing to record.
 *
 * @throws AppError `invalid/invalid_json`
 */
export function normaliseForum(delivery: WebhookDelivery): NormalisedDelivery {
  return normaliseForumBody(readBody(delivery), delivery)
}

/** @param body the JSON object in the delivery */
export function normaliseForumBody(body: Payload, delivery: WebhookDelivery): NormalisedDelivery {
  const hook = readHook(delivery.headers, body)
  const arrival = known({ deliveryId: hook.deliveryId })
  if (isPing(hook)) return { events: [], ignored: 1, ...arrival }
  const mapped = (MAPPINGS.get(hook.type)?.map ?? mapGeneric)(hook)
  const native = {
    source: 'forum',
    host: hook.instance.host,
    event: hook.event ?? hook.type,
    action: undefined,
    // This id identifies a delivery record, and one event has several of these.
    deliveryId: undefined,
    actor: actorOf(hook.instance, mapped.actor),
    actorRole: mapped.actor?.role ?? '',
    payload: hook.body,
  } as const
  const metadata = { native_type: hook.type, ...mapped.metadata }
  return { events: [toEvent(native, { ...mapped, metadata }, delivery)], ignored: 0, ...arrival }
}

function isPing({ type, event, object }: Hook): boolean {
  return type === 'ping' || (event === 'ping' && object === undefined)
}

/** The beginning of any JSON object or list, unlike that of a form with the expected field. */
const JSON_BEGINS = /^\s*[[{]/u

/**
 * The JSON object of a delivery. Discourse sends plain JSON even if its label is that of a form. A real form, which an
 * intermediary may create, has the JSON in its `payload` field.
 *
 * Values nested deeper than an event may be are not recorded.
 *
 * @throws AppError `invalid/invalid_json` if there is no JSON object
 */
function readBody(delivery: WebhookDelivery): Payload {
  const text = textOf(delivery)
  const parsed = parseJson(isForm(delivery) && !JSON_BEGINS.test(text) ? payloadField(delivery) : text)
  if (!isObject(parsed)) throw unreadable('The body is JSON, but not an object.')
  return withinDepth(parsed)
}
