import type { Actor } from '../../model/events/event.js'
import { idAt, known, memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'
import type { ChatContext } from './context.js'

/** The platform's role numbers. Source: Zulip API, "Roles and permissions". */
export const ROLES: ReadonlyMap<unknown, string> = new Map([
  [100, 'owner'],
  [200, 'administrator'],
  [300, 'moderator'],
  [400, 'member'],
  [600, 'guest'],
])

/** The author of a message or the actor of an event, as far as known. */
export interface Person {
  id: string | undefined
  email: string | undefined
  name: string | undefined
  /** Undefined if unknown, unlike false. */
  isBot: boolean | undefined
  /** Empty if unknown. */
  role: string
}

/** For events that do not name the actor. */
export const UNKNOWN_PERSON: Person = { id: undefined, email: undefined, name: undefined, isBot: undefined, role: '' }

const BOT_ADDRESS = /-bot@[^@\s]+$/iu
/** The only bot of the platform itself whose address does not show it. */
const MAIL_GATEWAY = 'emailgateway@zulip.com'
/** The realm of the platform's own bots. */
const INTERNAL_REALM = 'zulipinternal'

/** The sender of a message. */
export function senderOf(message: Payload, context: ChatContext): Person {
  return toPerson(context, message, {
    id: idAt(message, 'sender_id'),
    email: textAt(message, 'sender_email'),
    name: textAt(message, 'sender_full_name') ?? textAt(message, 'sender_short_name'),
  })
}

/**
 * The actor of an event about a message, if named: `user_id`, on old servers the object `user`.
 *
 * In events of other types, `user_id` is the person affected: do not use this function for them.
 */
export function actingPersonOf(event: Payload, context: ChatContext): Person {
  const user = objectAt(event, 'user')
  return toPerson(context, event, {
    id: idAt(event, 'user_id') ?? idAt(user, 'user_id') ?? idAt(user, 'id'),
    email: textAt(user, 'email'),
    name: textAt(user, 'full_name'),
  })
}

export function toActor({ id, email, name }: Person): Actor {
  return { id: id ?? '', display: name ?? '', metadata: known({ email }) }
}

/**
 * The members that every chat event has in its payload in addition to what was sent; null if unknown.
 *
 * Source: Event Ledger Service, "Event (normalized)", payload.
 */
export function senderMembers({ id, email, name, isBot }: Person): Record<string, unknown> {
  return {
    sender_id: id !== undefined && /^(?:0|[1-9]\d{0,14})$/u.test(id) ? Number(id) : (id ?? null),
    sender_email: email ?? null,
    sender_full_name: name ?? null,
    sender_is_bot: isBot ?? null,
  }
}

function toPerson({ users }: ChatContext, from: Payload, sent: Pick<Person, 'id' | 'email' | 'name'>): Person {
  const user = sent.id === undefined ? undefined : users?.get(sent.id)
  const isBot = user?.isBot ?? sentIsBot(from) ?? derivedIsBot(from, sent.email)
  return { ...sent, email: sent.email ?? user?.email, isBot, role: isBot ? 'bot' : (user?.role ?? '') }
}

/** The platform does not send this; a forwarder may add it. */
function sentIsBot(from: Payload): boolean | undefined {
  const sent = memberOf(from, 'sender_is_bot')
  return typeof sent === 'boolean' ? sent : undefined
}

function derivedIsBot(from: Payload, email: string | undefined): boolean | undefined {
  if (email !== undefined && (BOT_ADDRESS.test(email) || email.toLowerCase() === MAIL_GATEWAY)) return true
  return textAt(from, 'sender_realm_str') === INTERNAL_REALM ? true : undefined
}
