import { idAt } from '../../mapping/payload.js'
import type { ChatEvent, Mapped } from '../chat-event.js'
import { UNKNOWN_PERSON } from '../person.js'
import { type StreamPlace, topicAt, toStreamPlace } from '../place.js'
import { messageNode } from '../target-nodes.js'
import { conversationOf } from './message.js'
import { forEachMessage } from './message-ids.js'

/**
 * Messages that the receiver can no longer see. The event has neither a person nor a time. A server also sends it to a
 * user who only lost access.
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
    person: UNKNOWN_PERSON,
  }))
}

function placeBefore({ body }: ChatEvent): StreamPlace | undefined {
  const streamId = idAt(body, 'stream_id')
  return streamId === undefined ? undefined : toStreamPlace(streamId, topicAt(body))
}
