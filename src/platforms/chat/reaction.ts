import { toNode } from '../node.js'
import { idAt, textAt } from '../payload.js'
import type { ChatEvent, Mapped } from './chat-event.js'
import { messageNode } from './nodes.js'
import { doerOf } from './person.js'
import { verbOf } from './verb.js'

/** An emoji that somebody put on a message or took off it. */
export function mapReaction(event: ChatEvent): Mapped[] {
  const { body } = event
  const messageId = idAt(body, 'message_id')
  const person = doerOf(body, event.context)
  const parts = [textAt(body, 'reaction_type'), idAt(body, 'emoji_code'), person.id]
  const identified = messageId !== undefined && !parts.includes(undefined)
  const eventId = idAt(body, 'id')
  const emoji = textAt(body, 'emoji_name')
  return [
    {
      objectType: 'reaction',
      verb: verbOf(event),
      subjectId: messageId,
      keyType: 'message',
      identity: identified ? `${messageId}:reaction:${parts.join(':')}` : undefined,
      // Who took it off may put it on again. No time is told, so the number in the queue has to tell the two apart.
      occurrence: eventId === undefined ? 'once' : [eventId],
      occurredAt: undefined,
      target: toNode('reaction', {
        id: identified ? [messageId, ...parts].join(':') : undefined,
        display: emoji && `:${emoji}:`,
        parent: messageNode(event, messageId, undefined),
      }),
      conversation: {},
      person,
    },
  ]
}
