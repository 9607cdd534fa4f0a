import { toNode } from '../../mapping/node.js'
import { idAt, known, textAt } from '../../mapping/payload.js'
import { type ChatEvent, type Mapped, verbOf } from '../chat-event.js'
import { actingPersonOf } from '../person.js'
import { messageNode } from '../target-nodes.js'

/** An emoji added to or removed from a message. */
export function mapReaction(event: ChatEvent): Mapped[] {
  const { body } = event
  const messageId = idAt(body, 'message_id')
  const person = actingPersonOf(body, event.context)
  const parts = [textAt(body, 'reaction_type'), idAt(body, 'emoji_code'), person.id]
  const identified = messageId !== undefined && !parts.includes(undefined)
  const eventId = idAt(body, 'id')
  const emoji = textAt(body, 'emoji_name')
  const carrier = messageNode(event, messageId, undefined)
  return [
    {
      objectType: 'reaction',
      verb: verbOf(event),
      subjectId: messageId,
      keyType: 'message',
      identity: identified ? `${messageId}:reaction:${parts.join(':')}` : undefined,
      // A reaction may be removed and added again. No time is sent, so the number in the queue distinguishes the two.
      occurrence: eventId === undefined ? 'once' : [...(event.queueId === undefined ? [] : [event.queueId]), eventId],
      occurredAt: undefined,
      target: toNode('reaction', {
        id: identified ? [messageId, ...parts].join(':') : undefined,
        display: emoji && `:${emoji}:`,
        parent: carrier,
      }),
      conversation: known({ url: carrier.url }),
      person,
      metadata: known({ emoji }),
    },
  ]
}
