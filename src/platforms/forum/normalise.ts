import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { toEvent } from '../mapped-event.js'
import { known } from '../payload.js'
import { readBody } from './body.js'
import { mapGeneric } from './generic.js'
import { type Hook, readHook } from './hook.js'
import { actorOf } from './person.js'
import { ROWS } from './rows.js'

/**
 * Makes the event of one delivery. Every JSON object yields an event, however incomplete: what no row knows is recorded
 * under the platform's own names. Only pings contain nothing to record.
 *
 * @throws AppError `invalid/invalid_json`
 */
export function normaliseForum(delivery: WebhookDelivery): NormalisedDelivery {
  const hook = readHook(delivery.headers, readBody(delivery))
  const arrival = known({ deliveryId: hook.deliveryId })
  if (isPing(hook)) return { events: [], ignored: 1, ...arrival }
  const mapped = (ROWS.get(hook.type)?.map ?? mapGeneric)(hook)
  const native = {
    source: 'forum',
    host: hook.instance.host,
    event: hook.event ?? hook.type,
    action: undefined,
    // The id belongs to a delivery record, of which one event has several.
    deliveryId: undefined,
    actor: actorOf(hook.instance, mapped.doer),
    actorRole: mapped.doer?.role ?? '',
    payload: hook.body,
  } as const
  const metadata = { native_type: hook.type, ...mapped.metadata }
  return { events: [toEvent(native, { ...mapped, metadata }, delivery)], ignored: 0, ...arrival }
}

function isPing({ type, event, object }: Hook): boolean {
  return type === 'ping' || (event === 'ping' && object === undefined)
}
