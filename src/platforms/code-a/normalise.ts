import { isObject } from '../../model/json-object.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { isForm, parseJson, payloadField, textOf, unreadable, withinDepth } from '../deliveries/delivery-body.js'
import { toEvent } from '../mapping/mapped-event.js'
import { known, type Payload, REDACTED } from '../mapping/payload.js'
import { actorOf, actorRoleOf } from './actor.js'
import { changesOf } from './changes.js'
import { MAPPINGS } from './event-mappings.js'
import { mapGeneric } from './generic.js'
import { readHook } from './hook.js'

/**
 * Creates the event of one delivery. Every JSON object yields an event, however incomplete. An event without a mapping is
 * recorded under the platform's own names. Only pings contain nothing to record.
 *
 * @throws AppError `invalid/invalid_json`
 */
export function normaliseCodeA(delivery: WebhookDelivery): NormalisedDelivery {
  return normaliseCodeABody(readBody(delivery), delivery)
}

/** @param body the JSON object in the delivery */
export function normaliseCodeABody(body: Payload, delivery: WebhookDelivery): NormalisedDelivery {
  const hook = readHook(delivery.headers, body)
  const arrival = known({ deliveryId: hook.deliveryId })
  if (hook.name === 'ping') return { events: [], ignored: 1, ...arrival }
  const mapped = (MAPPINGS.get(hook.name)?.map ?? mapGeneric)(hook)
  const native = {
    source: 'code_a',
    host: hook.host,
    event: hook.nativeName,
    action: hook.nativeAction,
    deliveryId: hook.deliveryId,
    actor: actorOf(hook),
    actorRole: actorRoleOf(hook, mapped.written),
    payload: hook.body,
  } as const
  const changes = changesOf(hook, mapped.written)
  const changed = changes ? { ...mapped, metadata: { changes, ...mapped.metadata } } : mapped
  return { events: [toEvent(native, changed, delivery)], ignored: 0, ...arrival }
}

/**
 * The JSON object of a delivery: the body itself, or the `payload` field of a form.
 *
 * Two things are not recorded as sent: values nested deeper than an event may be, and the hook's own secret. Gogs and
 * old Gitea put the secret into every body, and no reader of the ledger may see it.
 *
 * @throws AppError `invalid/invalid_json` when there is no JSON object
 */
function readBody(delivery: WebhookDelivery): Payload {
  const parsed = parseJson(isForm(delivery) ? payloadField(delivery) : textOf(delivery))
  if (!isObject(parsed)) throw unreadable('The body is JSON, but not an object.')
  const kept = withinDepth(parsed)
  return typeof kept.secret === 'string' && kept.secret !== '' ? { ...kept, secret: REDACTED } : kept
}
