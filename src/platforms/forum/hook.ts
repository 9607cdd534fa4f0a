import type { WebhookDelivery } from '../adapter.js'
import { toIdentifier, toWord } from '../identity.js'
import type { MappedEvent, Occurrence } from '../mapped-event.js'
import { instantAt, objectAt, type Payload } from '../payload.js'
import { canonicalVerb } from '../verbs.js'
import { type Instance, readInstance } from './instance.js'
import type { Person } from './person.js'

/** A delivery taken apart, as the rows of the mapping read it. */
export interface Hook {
  /** What happened, such as `post_created`. */
  event: string | undefined
  /** What it happened to, such as `post`; also the root key of the body. */
  type: string
  /** The id of the record of this delivery: a retry, or a second hook for one event, has another. */
  deliveryId: string | undefined
  instance: Instance
  body: Payload
  /** What stands below the root key. */
  object: Payload | undefined
}

/** What a row makes of a delivery; everything else is the same for all rows. */
export interface Mapped extends MappedEvent {
  /** Who did it, only where the payload says so. */
  doer?: Person | undefined
}

/** Where a delivery shows no type at all it is kept under this one. */
const UNTYPED = 'event'

/**
 * The payload does not tell this occurrence from the next one, so the bytes that were sent have to. They are made once
 * for all hooks and retries, unlike the id of a delivery.
 */
export const TOLD_BY_BODY: Occurrence = [undefined]

export function readHook(headers: WebhookDelivery['headers'], body: Payload): Hook {
  const root = Object.keys(body).find(name => objectAt(body, name))
  const type = headerOf(headers, 'x-discourse-event-type') ?? root ?? UNTYPED
  const deliveryId = headerOf(headers, 'x-discourse-event-id')
  return {
    event: headerOf(headers, 'x-discourse-event'),
    type,
    deliveryId: deliveryId === undefined ? undefined : toIdentifier(deliveryId),
    instance: readInstance(headers),
    body,
    object: objectAt(body, type) ?? (root === undefined ? undefined : objectAt(body, root)),
  }
}

/** What happened, in the past tense. */
export function verbOf(hook: Hook, prefix: string): string {
  const native = nativeVerbOf(hook, prefix)
  return native === 'revised' ? 'updated' : canonicalVerb(native)
}

/**
 * The name of the event without the prefix that says what it happened to; `received`, which claims nothing, where no
 * more is told.
 */
export function nativeVerbOf({ event }: Hook, prefix: string): string {
  const word = event?.startsWith(`${prefix}_`) ? event.slice(prefix.length + 1) : event
  return toWord(word === prefix ? undefined : word) ?? 'received'
}

/** What can be deleted and restored again and again: a deletion is told from the next one by its time, if it has one. */
export function deletionOf(object: Payload | undefined): Occurrence {
  return [instantAt(object, 'deleted_at')]
}

function headerOf(headers: WebhookDelivery['headers'], name: string): string | undefined {
  return headers[name]?.trim() || undefined
}
