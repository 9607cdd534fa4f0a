import type { Actor, Conversation, NewEvent, TargetNode } from '../model/event.js'
import type { PlatformSource, WebhookDelivery } from './adapter.js'
import { digestOf, toDedupeKey, toIdentifier } from './identity.js'
import { known, type Payload } from './payload.js'

/**
 * How one occurrence is told from the next: `once` for what cannot happen twice to one object, else the parts that
 * differ between occurrences. A part that is missing leaves that open, and the delivery itself has to tell.
 */
export type Occurrence = 'once' | readonly (string | undefined)[]

/** What a row of a platform's mapping makes of a native event. */
export interface MappedEvent {
  objectType: string
  verb: string
  subjectId: string | undefined
  /** What identifies the object among all of its type on its host; mostly its native id. */
  identity: string | undefined
  /** The object type in the key, where the identity is that of a part of another object; `objectType` when absent. */
  keyType?: string
  occurrence: Occurrence
  occurredAt: string | undefined
  target: TargetNode
  conversation: Conversation
  /** Joins the native words in `action.metadata`. */
  metadata?: Record<string, unknown>
}

/** What is the same for all rows of a delivery. */
export interface Native {
  source: PlatformSource
  /** The instance, as ids are only unique there. */
  host: string
  /** The platform's own words. */
  event: string
  action: string | undefined
  /** The platform's id of the delivery, which a redelivery repeats. */
  deliveryId: string | undefined
  actor: Actor
  actorRole: string
  payload: Payload
}

/** Stands in a dedupe key for the id of an object that has none. */
const NO_ID = '-'

/** The event of a native one that was mapped. Source: the platforms' rules 4 to 8. */
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
 * Made from identities inside the payload, so that one event through two hooks has one key; only where these do not
 * identify the occurrence, the delivery does.
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

/** The platform's id of the delivery; else what was sent. */
function deliveryOf({ deliveryId }: Native, { body }: WebhookDelivery): string {
  return deliveryId ?? `sha256-${digestOf(body)}`
}
