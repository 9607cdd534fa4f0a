import { idAt, memberOf, objectAt, objectsAt, type Payload, textAt } from '../payload.js'
import type { NativeEvent } from './chat-event.js'
import { withoutSecrets } from './secrets.js'
import { isSlackFormat, messageOfSlackForm } from './slack-format.js'

/** What stands in one body. */
export interface NativeEvents {
  events: NativeEvent[]
  /** Elements of a list that are no objects. */
  unreadable: number
}

/** Stands for the type of an event that names none. */
const UNNAMED = 'event'
/** The types of a message, which is not to be taken for an event of a queue. */
const MESSAGE_TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'stream', 'private', 'channel', 'direct'])

/**
 * Takes apart whatever carries events: an outgoing webhook in either format, an event of a queue, the answers of
 * `GET /events` and `GET /messages`, a bare message.
 *
 * Source: Zulip API, "Outgoing webhooks", `GET /events`, `GET /messages`.
 */
export function nativeEventsIn(body: Payload): NativeEvents {
  if (isSlackFormat(body)) {
    const message = messageOfSlackForm(body)
    return only({ type: 'message', action: textAt(body, 'trigger_word'), body, message })
  }
  const events = listed(body, 'events', readEvent)
  if (events) return events
  // Events of a queue may have lists of messages as well; they name their type, which an answer does not.
  const messages = textAt(body, 'type') === undefined ? listed(body, 'messages', readMessage) : undefined
  return messages ?? only(readEvent(body))
}

function only(event: NativeEvent): NativeEvents {
  return { events: [event], unreadable: 0 }
}

/** @returns undefined where the member is no list, or one without a single object */
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
  return { type: type ?? UNNAMED, action, body: withoutSecrets(body) }
}

/** A message says who wrote it and where or what; events of a queue that do so have types of their own. */
function isMessage(body: Payload): boolean {
  if (!MESSAGE_TYPES.has(textAt(body, 'type')) || textAt(body, 'op') !== undefined) return false
  const sender = idAt(body, 'sender_id') ?? textAt(body, 'sender_full_name') ?? textAt(body, 'sender_email')
  return (
    sender !== undefined && ['content', 'display_recipient', 'recipient_id'].some(name => Object.hasOwn(body, name))
  )
}
