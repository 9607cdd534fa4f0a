import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { toEvent } from '../mapped-event.js'
import { known } from '../payload.js'
import { actorOf, actorRoleOf } from './actor.js'
import { readBody } from './body.js'
import { mapGeneric } from './generic.js'
import { readHook } from './hook.js'
import { ROWS } from './rows.js'

/**
 * Makes the event of one delivery. Every JSON object gives an event, whatever is missing from it: what no row knows is
 * kept under the platform's own words. Only pings carry nothing to keep.
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
  return { events: [toEvent(native, mapped, delivery)], ignored: 0, ...arrival }
}
