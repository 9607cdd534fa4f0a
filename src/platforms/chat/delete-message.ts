import { idAt } from '../payload.js'
import type { ChatEvent, Mapped } from './chat-event.js'
import { conversationOf } from './message.js'
import { forEachMessage } from './message-ids.js'
import { messageNode } from './nodes.js'
import { NOBODY } from './person.js'
import { type StreamPlace, topicAt, toStreamPlace } from './place.js'

/**
 * Messages that are gone for the receiver. Neither who deleted them nor when is told; and a server says the same to
 * somebody who only lost access to them.
 */
export function mapDeleteMessage(event: ChatEvent): Mapped[] {
  const place = placeBefore(event)
  return forEachMessage(event.body, id => ({
    objectType: 'message',
    verb: 'deleted',
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: undefined,
    target: messageNode(event, id, place),
    conversation: conversationOf(event, place, { id }),
    person: NOBODY,
  }))
}

function placeBefore({ body }: ChatEvent): StreamPlace | undefined {
  const streamId = idAt(body, 'stream_id')
  return streamId === undefined ? undefined : toStreamPlace(streamId, topicAt(body))
}
