import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { toEvent } from '../mapped-event.js'
import { known } from '../payload.js'
import { actorOf, actorRoleOf } from './actor.js'
import { readBody } from './body.js'
import { changesOf } from './changes.js'
import { mapGeneric } from './generic.js'
import { readHook } from './hook.js'
import { ROWS } from './rows.js'

/**
 * Makes the event of one delivery. Every JSON object yields an event, however incomplete: what no row knows is recorded
 * under the platform's own names. Only pings contain nothing to record.
 *
 * @throws AppError `invalid/invalid_json`
 */
export function normaliseCodeA(delivery: WebhookDelivery): NormalisedDelivery {
  const hook = readHook(delivery.headers, readBody(delivery))
  const arrival = known({ deliveryId: hook.deliveryId })
  if (hook.name === 'ping') return { events: [], ignored: 1, ...arrival }
  const mapped = (ROWS.get(hook.name)?.map ?? mapGeneric)(hook)
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
