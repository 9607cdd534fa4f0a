import type { Actor, Conversation, NewEvent, TargetNode } from '../../model/events/event.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import type { WebhookDelivery } from '../adapter.js'
import { digestOf, toDedupeKey, toIdentifier } from './identifiers.js'
import { known, type Payload } from './payload.js'

/**
 * Distinguishes occurrences. `once`: the event cannot happen twice to one object. Otherwise, the parts that differ
 * between occurrences. If a part is missing, the delivery distinguishes them.
 */
export type Occurrence = 'once' | readonly (string | undefined)[]

/** The result of a mapping for a native event. */
export interface MappedEvent {
  objectType: string
  verb: string
  subjectId: string | undefined
  /** Identifies the object among all of its type on its host. Usually its native id. */
  identity: string | undefined
  /** The object type in the key, if the identity is that of a part of another object. Default: `objectType`. */
  keyType?: string
  occurrence: Occurrence
  occurredAt: string | undefined
  target: TargetNode
  conversation: Conversation
  /** The outcome or current state, in the words that all platforms share. */
  outcome?: string | undefined
  /** Added to the platform's words in `action.metadata`. */
  metadata?: Record<string, unknown>
}

/** Values that all mappings of a delivery share. */
interface Native {
  source: PlatformSource
  /** The instance, because ids are unique only there. */
  host: string
  /** The platform's own words. */
  event: string
  action: string | undefined
  /** The platform's id of the delivery, repeated by a redelivery. */
  deliveryId: string | undefined
  actor: Actor
  actorRole: string
  payload: Payload
}

/** Replaces the missing id of an object in a dedupe key. */
const NO_ID = '-'

/** Converts a mapped native event to an event. Source: the platforms' rules 4 to 8. */
export function toEvent(native: Native, mapped: MappedEvent, delivery: WebhookDelivery): NewEvent {
  const kind = `${mapped.objectType}.${mapped.verb}`
  return {
    dedupe_key: dedupeKeyOf(native, mapped, delivery),
    kind,
    subject_id: toIdentifier(mapped.subjectId ?? deliveryOf(native, delivery)),
    subject_type: mapped.objectType,
    action: {
      kind,
      object_type: mapped.objectType,
      verb: mapped.verb,
      ...known({ outcome: mapped.outcome }),
      metadata: { native_event: native.event, ...known({ native_action: native.action }), ...mapped.metadata },
    },
    actor: native.actor,
    actor_role: native.actorRole,
    target: mapped.target,
    conversation: mapped.conversation,
    source: native.source,
    occurred_at: mapped.occurredAt ?? null,
    payload: native.payload,
  }
}

/**
 * Made of identities in the payload, so that an event has the same key through two hooks. If these do not identify the
 * occurrence, the delivery does.
 */
function dedupeKeyOf(native: Native, mapped: MappedEvent, delivery: WebhookDelivery): string {
  const parts = mapped.occurrence === 'once' ? [] : mapped.occurrence
  const identified = mapped.identity !== undefined && !parts.includes(undefined)
  const discriminator = identified ? parts.join(':') || undefined : deliveryOf(native, delivery)
  return toDedupeKey({
    source: native.source,
    host: native.host,
    objectType: mapped.keyType ?? mapped.objectType,
    id: mapped.identity ?? NO_ID,
    verb: mapped.verb,
    discriminator,
  })
}

/** The platform's id of the delivery, else a digest of the body. */
function deliveryOf({ deliveryId }: Native, { body }: WebhookDelivery): string {
  return deliveryId ?? `sha256-${digestOf(body)}`
}
