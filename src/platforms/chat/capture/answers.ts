import { isObject } from '../../../model/json-object.js'
import {
  idAt,
  isTrue,
  known,
  memberOf,
  numberAt,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
} from '../../mapping/payload.js'
import type { ChatUser } from '../context.js'
import { ROLES } from '../person.js'
import type { ChatMessage, ChatQueue, MessagePage, QueueEvents } from './chat-api.js'

/** The feature level of a server's API, from `GET /server_settings`. Servers before version 3 have none. */
export function readFeatureLevel(answer: Payload): number {
  const level = memberOf(answer, 'zulip_feature_level')
  return typeof level === 'number' && level >= 0 ? level : 0
}

/** @returns undefined for a response without a list of messages */
export function readMessagePage(answer: Payload): MessagePage | undefined {
  if (!Array.isArray(memberOf(answer, 'messages'))) return undefined
  const messages = objectsAt(answer, 'messages').flatMap(toMessage)
  return {
    messages: messages.sort((left, right) => left.id - right.id),
    foundNewest: isTrue(answer, 'found_newest'),
    foundOldest: isTrue(answer, 'found_oldest'),
    isLimited: isTrue(answer, 'history_limited'),
  }
}

/** The answer of `GET /messages/{message_id}`, which before version 5 has only the text of the message. */
export function readOneMessage(answer: Payload, id: number): ChatMessage {
  return { id, payload: { ...objectAt(answer, 'message'), id } }
}

/** The refusal of a message that does not exist, or that the account cannot see. The platform has no code for it. */
export function isUnknownMessage(status: number, body: Payload | undefined): boolean {
  const code = textAt(body, 'code')
  return status === 400 && memberOf(body, 'result') === 'error' && (code === undefined || code === 'BAD_REQUEST')
}

/** The wait that the documentation recommends for older servers. */
const DEFAULT_WAIT_SECONDS = 90
const WAIT_SECONDS = { min: 1, max: 600 }

/** @returns undefined for a response without a queue */
export function readQueue(answer: Payload): ChatQueue | undefined {
  const [id, lastEventId] = [textAt(answer, 'queue_id'), memberOf(answer, 'last_event_id')]
  if (id === undefined || !isEventId(lastEventId)) return undefined
  const sent = numberAt(answer, 'event_queue_longpoll_timeout_seconds') ?? DEFAULT_WAIT_SECONDS
  const waitSeconds = Math.min(Math.max(sent, WAIT_SECONDS.min), WAIT_SECONDS.max)
  return { id, lastEventId, waitSeconds }
}

/** @returns undefined for a response without a list of events */
export function readQueueEvents(answer: Payload, lastEventId: number): QueueEvents | undefined {
  if (!Array.isArray(memberOf(answer, 'events'))) return undefined
  const events = objectsAt(answer, 'events')
  const ids = events.map(event => memberOf(event, 'id')).filter(isEventId)
  return { events, lastEventId: ids.reduce((last, id) => Math.max(last, id), lastEventId) }
}

/** Event ids of a queue start at 0; -1 means before the first. */
function isEventId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= -1
}

/** The members of `GET /users`, by id. @returns undefined for a response without a list of them */
export function readUsers(answer: Payload): Map<string, ChatUser> | undefined {
  if (!Array.isArray(memberOf(answer, 'members'))) return undefined
  const users = new Map<string, ChatUser>()
  for (const member of objectsAt(answer, 'members')) {
    const id = idAt(member, 'user_id')
    if (id !== undefined) users.set(id, toUser(member))
  }
  return users
}

/** A message without a numeric server id has no identity and cannot be a position to continue from. */
function toMessage(payload: Payload): ChatMessage[] {
  const id = memberOf(payload, 'id')
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? [{ id, payload }] : []
}

function toUser(member: Payload): ChatUser {
  const isBot = memberOf(member, 'is_bot')
  return {
    isBot: typeof isBot === 'boolean' ? isBot : undefined,
    role: roleOf(member),
    ...known({ email: textAt(member, 'delivery_email') ?? textAt(member, 'email') }),
  }
}

/** Servers before version 4 send flags instead of `role`. */
function roleOf(member: Payload): string | undefined {
  const role = ROLES.get(memberOf(member, 'role'))
  if (role !== undefined) return role
  if (isTrue(member, 'is_owner')) return 'owner'
  if (isTrue(member, 'is_admin')) return 'administrator'
  return isTrue(member, 'is_guest') ? 'guest' : undefined
}

/** The JSON object of a response. @returns undefined for anything else */
export function readAnswer(body: Buffer): Payload | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    // Cut off, or a proxy's error page. The caller reports it.
    return undefined
  }
}
