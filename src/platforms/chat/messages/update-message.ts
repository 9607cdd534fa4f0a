/** A message edited, messages moved to another topic or stream, or both. */
import { idAt, instantAt, known, memberOf, type Payload, textAt } from '../../mapping/payload.js'
import type { ChatEvent, Mapped } from '../chat-event.js'
import { actingPersonOf } from '../person.js'
import { nameAt, type StreamPlace, topicAt } from '../place.js'
import { messageNode } from '../target-nodes.js'
import { conversationOf } from './message.js'
import { forEachMessage } from './message-ids.js'

const WORDS = ['content', 'orig_content', 'rendered_content', 'orig_rendered_content'] as const

/** @returns nothing for changes without a person: the server adds link previews after a message was sent */
export function mapUpdateMessage(event: ChatEvent): Mapped[] {
  const { body } = event
  const moved = originalTopic(body) !== undefined || idAt(body, 'new_stream_id') !== undefined
  if (!moved && isLinkPreview(body)) return []
  const edited = !moved || WORDS.some(name => textAt(body, name) !== undefined)
  return [
    ...(edited ? [mapChange(event, 'updated', idAt(body, 'message_id'))] : []),
    ...(moved ? forEachMessage(body, id => mapChange(event, 'moved', id)) : []),
  ]
}

function mapChange(event: ChatEvent, verb: 'updated' | 'moved', id: string | undefined): Mapped {
  const { body } = event
  const place = newPlace(body)
  return {
    objectType: 'message',
    verb,
    subjectId: id,
    identity: id,
    occurrence: [idAt(body, 'edit_timestamp')],
    occurredAt: instantAt(body, 'edit_timestamp'),
    target: messageNode(event, id, place),
    conversation: conversationOf(event, place, { id, text: verb === 'updated' ? textAt(body, 'content') : undefined }),
    person: actingPersonOf(body, event.context),
    ...(verb === 'moved' ? { metadata: { moved_from: oldPlace(body) } } : {}),
  }
}

/** Old servers do not mark rendering changes. These name no person, and on the oldest servers no time either. */
function isLinkPreview(body: Payload): boolean {
  const sent = memberOf(body, 'rendering_only')
  if (typeof sent === 'boolean') return sent
  if (memberOf(body, 'user_id') === null) return true
  return !Object.hasOwn(body, 'user_id') && idAt(body, 'edit_timestamp') === undefined
}

/** Where the messages are now. The event contains the old stream's name, but not the new one's. */
function newPlace(body: Payload): StreamPlace | undefined {
  const [from, to] = [idAt(body, 'stream_id'), idAt(body, 'new_stream_id')]
  const streamId = to ?? from
  if (streamId === undefined) return undefined
  const streamName = streamId === from ? textAt(body, 'stream_name') : undefined
  return { type: 'stream', streamId, streamName, topic: topicAt(body) ?? originalTopic(body) }
}

function oldPlace(body: Payload): Record<string, unknown> {
  return known({
    stream_id: idAt(body, 'stream_id'),
    stream: textAt(body, 'stream_name'),
    topic: originalTopic(body) ?? topicAt(body),
  })
}

/** Sent only for a move. */
function originalTopic(body: Payload): string | undefined {
  return nameAt(body, 'orig_subject') ?? nameAt(body, 'orig_topic')
}
