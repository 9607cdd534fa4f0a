import { isObject } from '../../model/json-object.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { parseJson, textOf, withinDepth } from '../deliveries/delivery-body.js'
import { toEvent } from '../mapping/mapped-event.js'
import { known, type Payload } from '../mapping/payload.js'
import { actorOf, actorRoleOf } from './actor.js'
import { MAPPINGS } from './event-mappings.js'
import { mapGeneric } from './generic.js'
import { readHook } from './hook.js'

/**
 * Creates the event of one delivery. Any JSON yields an event, however incomplete. An event without a mapping is recorded
 * under the platform's own names, and the result of a hook's own body template as far as readable.
 *
 * @throws AppError `invalid/invalid_json`
 */
export function normaliseCodeB(delivery: WebhookDelivery): NormalisedDelivery {
  return normaliseCodeBBody(readBody(delivery), delivery)
}

/** @param body the JSON object in the delivery */
export function normaliseCodeBBody(body: Payload, delivery: WebhookDelivery): NormalisedDelivery {
  const hook = readHook(delivery.headers, body)
  const { metadata, ...mapped } = (MAPPINGS.get(hook.name)?.map ?? mapGeneric)(hook)
  const actor = mapped.actor ?? actorOf(hook)
  const native = {
    source: 'code_b',
    host: hook.instance.host,
    event: hook.nativeName,
    action: hook.nativeAction,
    deliveryId: hook.deliveryId,
    actor,
    actorRole: actorRoleOf(actor),
    payload: hook.body,
  } as const
  const withConfidential = { ...metadata, ...known({ confidential: hook.confidential || undefined }) }
  const event = toEvent(native, { ...mapped, metadata: withConfidential }, delivery)
  return { events: [event], ignored: 0, ...known({ deliveryId: hook.deliveryId }) }
}

/**
 * The payload of a delivery as sent, except values nested deeper than an event may be.
 *
 * A hook may have its own body template, so any JSON may arrive. A value that is not an object becomes the member
 * `value` of an object. A few refusals would make the platform pause the hook, with all its other events.
 *
 * @throws AppError `invalid/invalid_json` if the body is not JSON
 */
function readBody(delivery: WebhookDelivery): Payload {
  const parsed = parseJson(textOf(delivery), 'Send the JSON object of the event as the whole body.')
  return withinDepth(isObject(parsed) ? parsed : { value: parsed })
}
