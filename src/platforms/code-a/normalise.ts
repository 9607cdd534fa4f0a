import type { NewEvent } from '../../model/event.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { digestOf, toDedupeKey, toIdentifier } from '../identity.js'
import { actorOf, actorRoleOf } from './actor.js'
import { readBody } from './body.js'
import { mapGeneric } from './generic.js'
import { type Hook, known, type Mapped, readHook } from './hook.js'
import { ROWS } from './rows.js'

const SOURCE = 'code_a'

/** Stands in a dedupe key for the id of an object that has none. */
const NO_ID = '-'

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
  return { events: [toEvent(hook, mapped, delivery)], ignored: 0, ...arrival }
}

function toEvent(hook: Hook, mapped: Mapped, delivery: WebhookDelivery): NewEvent {
  const kind = `${mapped.objectType}.${mapped.verb}`
  return {
    dedupe_key: dedupeKeyOf(hook, mapped, delivery),
    kind,
    subject_id: toIdentifier(mapped.subjectId ?? deliveryOf(hook, delivery)),
    subject_type: mapped.objectType,
    action: {
      kind,
      object_type: mapped.objectType,
      verb: mapped.verb,
      metadata: {
        native_event: hook.nativeName,
        ...known({ native_action: hook.nativeAction }),
        ...mapped.metadata,
      },
    },
    actor: actorOf(hook),
    actor_role: actorRoleOf(hook, mapped.written),
    target: mapped.target,
    conversation: mapped.conversation,
    source: SOURCE,
    occurred_at: mapped.occurredAt ?? null,
    payload: hook.body,
  }
}

/**
 * Made from identities inside the payload, so that one event through two hooks has one key; only where these do not
 * identify the occurrence, the delivery does.
 */
function dedupeKeyOf(hook: Hook, mapped: Mapped, delivery: WebhookDelivery): string {
  const parts = mapped.occurrence === 'once' ? [] : mapped.occurrence
  const identified = mapped.identity !== undefined && !parts.includes(undefined)
  const discriminator = identified ? parts.join(':') || undefined : deliveryOf(hook, delivery)
  return toDedupeKey({
    source: SOURCE,
    host: hook.host,
    objectType: mapped.objectType,
    id: mapped.identity ?? NO_ID,
    verb: mapped.verb,
    discriminator,
  })
}

/** The platform's id of the delivery, which a redelivery repeats; else what was sent. */
function deliveryOf({ deliveryId }: Hook, { body }: WebhookDelivery): string {
  return deliveryId ?? `sha256-${digestOf(body)}`
}
