import { idAt, known, memberOf, objectAt, objectsAt, type Payload, textAt } from '../mapping/payload.js'
import { withoutSecrets } from './body.js'
import type { NativeEvent } from './chat-event.js'
import { isSlackFormat, messageOfSlackForm } from './slack-format.js'

/** The events in one body. */
interface NativeEvents {
  events: NativeEvent[]
  /** List elements that are not objects. */
  unreadable: number
}

/** Type of an event that has none. */
const UNNAMED = 'event'
/** The `type` of messages. Queue events have others. */
const MESSAGE_TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'stream', 'private', 'channel', 'direct'])

/**
 * Extracts events from any envelope: an outgoing webhook in either format, a queue event, the responses of `GET
 * /events` and `GET /messages`, a bare message.
 *
 * Source: Zulip API, "Outgoing webhooks", `GET /events`, `GET /messages`.
 */
export function nativeEventsIn(body: Payload): NativeEvents {
  if (isSlackFormat(body)) {
    const message = messageOfSlackForm(body)
    return only({ type: 'message', action: textAt(body, 'trigger_word'), body, message })
  }
  // A forwarded error response.
  if (memberOf(body, 'result') === 'error' && textAt(body, 'type') === undefined) return { events: [], unreadable: 1 }
  const queueId = textAt(body, 'queue_id')
  const events = listed(body, 'events', element => ({ queueId, ...readEvent(element) }))
  if (events) return events
  // Queue events may also contain lists of messages; they have a type, a response does not.
  const messages = textAt(body, 'type') === undefined ? listed(body, 'messages', readMessage) : undefined
  return messages ?? only(readEvent(body))
}

function only(event: NativeEvent): NativeEvents {
  return { events: [event], unreadable: 0 }
}

/** @returns undefined if the member is not a list, or contains no object */
function listed(body: Payload, name: string, read: (element: Payload) => NativeEvent): NativeEvents | undefined {
  const list = memberOf(body, name)
  if (!Array.isArray(list)) return undefined
  const objects = objectsAt(body, name)
  if (objects.length === 0 && list.length > 0) return undefined
  return { events: objects.map(read), unreadable: list.length - objects.length }
}

function readMessage(message: Payload): NativeEvent {
  return { type: 'message', action: undefined, body: message, message }
}

function readEvent(body: Payload): NativeEvent {
  const type = textAt(body, 'type')
  const message = type === undefined || type === 'message' ? objectAt(body, 'message') : undefined
  if (message) return { type: 'message', action: textAt(body, 'trigger'), body, message }
  if (isMessage(body)) return readMessage(body)
  const action = textAt(body, 'op') ?? textAt(body, 'operation')
  const queueId = textAt(body, 'queue_id')
  return { type: type ?? UNNAMED, action, ...known({ queueId }), body: withoutSecrets(body) }
}

/** A message has a sender, and a place or content. Queue events that have these too have other types. */
function isMessage(body: Payload): boolean {
  if (!MESSAGE_TYPES.has(textAt(body, 'type')) || textAt(body, 'op') !== undefined) return false
  const sender = idAt(body, 'sender_id') ?? textAt(body, 'sender_full_name') ?? textAt(body, 'sender_email')
  return (
    sender !== undefined && ['content', 'display_recipient', 'recipient_id'].some(name => Object.hasOwn(body, name))
  )
}
