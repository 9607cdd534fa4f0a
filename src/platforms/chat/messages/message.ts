import type { Conversation, NewEvent } from '../../../model/events/event.js'
import { withinDepth } from '../../deliveries/delivery-body.js'
import { idAt, instantAt, known, type Payload, textAt } from '../../mapping/payload.js'
import { type ChatEvent, type Mapped, readChatEvent, toChatEvent } from '../chat-event.js'
import type { ChatContext } from '../context.js'
import { messageLink } from '../link.js'
import { senderOf } from '../person.js'
import { messagePlaceOf, type Place } from '../place.js'
import { carrierNode, messageNode } from '../target-nodes.js'

/**
 * The event of one message object, as returned by the messages API. The same message gets the same dedupe key by every
 * route, if the context names the same site.
 *
 * @param message as received; its `content` may be HTML or Markdown
 * @returns undefined for an object without an id, which has no identity
 *
 * Source: Zulip API, `GET /messages` and `GET /events`.
 */
export function toMessageEvent(message: Payload, context: ChatContext): NewEvent | undefined {
  if (idAt(message, 'id') === undefined) return undefined
  const kept = withinDepth(message)
  const event = readChatEvent({ type: 'message', action: undefined, body: kept, message: kept }, context)
  return toChatEvent(event, mapMessage(event, kept))
}

/** @param message the message in the event */
export function mapMessage(event: ChatEvent, message: Payload): Mapped {
  const id = idAt(message, 'id')
  const place = messagePlaceOf(message)
  return {
    objectType: 'message',
    verb: 'created',
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: instantAt(message, 'timestamp'),
    target: messageNode(event, id, place),
    conversation: conversationOf(event, place, { id, text: textAt(message, 'content') }),
    person: senderOf(message, event.context),
  }
}

/**
 * The conversation of a message, and its text. Its key is that of the stream: a topic's name is not an identity, so
 * only the title contains it.
 */
export function conversationOf(
  event: ChatEvent,
  place: Place | undefined,
  said: { id: string | undefined; text?: string | undefined },
): Conversation {
  return known({
    key: carrierNode(event, place)?.key,
    title: titleOf(place),
    text: said.text,
    url: said.id === undefined ? undefined : messageLink(event.baseUrl, place, said.id),
  })
}

/** `stream > topic`, or the names of the participants. */
function titleOf(place: Place | undefined): string | undefined {
  if (place?.type !== 'stream') return place?.names.join(', ') || undefined
  return [place.streamName, place.topic].filter(name => name !== undefined && name !== '').join(' > ') || undefined
}
