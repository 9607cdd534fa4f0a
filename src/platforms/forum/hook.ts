import { type Conversation, type TargetNode, targetChain } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { toIdentifier, toWord } from '../mapping/identifiers.js'
import type { MappedEvent, Occurrence } from '../mapping/mapped-event.js'
import { nearestUrl } from '../mapping/node.js'
import { instantAt, known, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { canonicalVerb } from '../mapping/words.js'
import { type Instance, readInstance } from './instance.js'
import type { Person } from './person.js'

/** A parsed delivery, as input of the mappings. */
export interface Hook {
  /** The event, such as `post_created`. */
  event: string | undefined
  /** The object type, such as `post`; also the root key of the body. */
  type: string
  /** The id of this delivery's record. A retry, or a second hook for the same event, has another. */
  deliveryId: string | undefined
  instance: Instance
  body: Payload
  /** The value of the root key. */
  object: Payload | undefined
}

/** The result of a mapping for a delivery. Everything else is the same for all mappings. */
export interface Mapped extends MappedEvent {
  /** The actor, only if the payload names one. */
  actor?: Person | undefined
}

/** Type for a delivery without one. */
const UNTYPED = 'event'

/**
 * The payload does not distinguish occurrences, so the received bytes must. The forum generates them once for all hooks
 * and retries, unlike the id of a delivery.
 */
export const IDENTIFIED_BY_BODY: Occurrence = [undefined]

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

/** The verb, in the past tense. */
export function verbOf(hook: Hook, prefix: string): string {
  const native = nativeVerbOf(hook, prefix)
  return native === 'revised' ? 'updated' : canonicalVerb(native)
}

/** The event's name without its object type. If nothing remains, the neutral `received`. */
export function nativeVerbOf({ event }: Hook, prefix: string): string {
  const word = event?.startsWith(`${prefix}_`) ? event.slice(prefix.length + 1) : event
  return toWord(word === prefix ? undefined : word) ?? 'received'
}

/** For objects that can be deleted and restored repeatedly. The time of a deletion, if sent, distinguishes them. */
export function deletionOf(object: Payload | undefined): Occurrence {
  return [instantAt(object, 'deleted_at')]
}

/** The conversation of an event: its topic or chat channel, which all events there share, else the object itself. */
export function conversationOf(target: TargetNode, text?: string): Conversation {
  const [carrier = target] = [...targetChain(target)].filter(({ type }) => type === 'topic' || type === 'stream')
  return known({ key: carrier.key, title: carrier.display, text, url: nearestUrl(target) })
}

/** The text as typed, or the HTML if the forum sends nothing else. */
export function wordsOf(post: Payload | undefined): string | undefined {
  return textAt(post, 'raw') ?? textAt(post, 'cooked')
}

function headerOf(headers: WebhookDelivery['headers'], name: string): string | undefined {
  return headers[name]?.trim() || undefined
}
