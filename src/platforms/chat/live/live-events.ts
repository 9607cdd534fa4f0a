import type { NewEvent } from '../../../model/events/event.js'
import type { Payload } from '../../mapping/payload.js'
import { readChatEvent, toChatEvent } from '../chat-event.js'
import type { ChatContext } from '../context.js'
import { MAPPINGS } from '../event-mappings.js'
import { mapGeneric } from '../generic.js'
import { toMessageEvent } from '../messages/message.js'
import { nativeEventsIn } from '../native-events.js'
import type { StreamChange } from './stream-change.js'

/**
 * The events of a change, with the keys that they have by every other route: a message as the messages API returns
 * it, all else as a forwarded queue event.
 *
 * @param queueId the queue that numbered it
 */
export function toLiveEvents({ message, body }: StreamChange, queueId: string, context: ChatContext): NewEvent[] {
  if (message) {
    const event = toMessageEvent(message.payload, context)
    return event ? [event] : []
  }
  return toQueueEvents(body, queueId, context)
}

/** @param queueId undefined for a body that no queue numbered */
export function toQueueEvents(body: Payload, queueId: string | undefined, context: ChatContext): NewEvent[] {
  return nativeEventsIn(body).events.flatMap(native => {
    const event = readChatEvent({ ...native, queueId }, context)
    return (MAPPINGS.get(native.type)?.map ?? mapGeneric)(event).map(mapped => toChatEvent(event, mapped))
  })
}

/** The dedupe key of a message's event. It depends on the id and the server alone. */
export function messageKey(id: number, context: ChatContext): string {
  const event = toMessageEvent({ id }, context)
  if (!event) throw new Error(`The message ${id} has no key.`)
  return event.dedupe_key
}
