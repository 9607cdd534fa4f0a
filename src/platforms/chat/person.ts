import type { Actor } from '../../model/event.js'
import { idAt, known, memberOf, objectAt, type Payload, textAt } from '../payload.js'
import type { ChatContext } from './context.js'

/** Whoever wrote a message or did something to it, as far as that is told. */
export interface Person {
  id: string | undefined
  email: string | undefined
  name: string | undefined
  /** Undefined where nobody knows, which is not the same as no. */
  isBot: boolean | undefined
  /** Empty where nobody knows. */
  role: string
}

/** Where an event does not name who did it. */
export const NOBODY: Person = { id: undefined, email: undefined, name: undefined, isBot: undefined, role: '' }

const BOT_ADDRESS = /-bot@[^@\s]+$/iu
/** The one bot of the platform itself whose address does not say so. */
const MAIL_GATEWAY = 'emailgateway@zulip.com'
/** The realm in which the platform's own bots live. */
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
 * Who caused an event about a message, where the event names them: `user_id`, on old servers the object `user`.
 *
 * Events of other types use `user_id` for the person concerned, so this is not for them.
 */
export function doerOf(event: Payload, context: ChatContext): Person {
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
 * The members that every chat event has in its payload beside what was sent; null where nothing is known.
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

function toPerson({ users }: ChatContext, from: Payload, told: Pick<Person, 'id' | 'email' | 'name'>): Person {
  const user = told.id === undefined ? undefined : users?.get(told.id)
  const isBot = user?.isBot ?? sentIsBot(from) ?? derivedIsBot(from, told.email)
  return { ...told, email: told.email ?? user?.email, isBot, role: isBot ? 'bot' : (user?.role ?? '') }
}

/** The platform does not send it; a forwarder that looked it up may. */
function sentIsBot(from: Payload): boolean | undefined {
  const sent = memberOf(from, 'sender_is_bot')
  return typeof sent === 'boolean' ? sent : undefined
}

function derivedIsBot(from: Payload, email: string | undefined): boolean | undefined {
  if (email !== undefined && (BOT_ADDRESS.test(email) || email.toLowerCase() === MAIL_GATEWAY)) return true
  return textAt(from, 'sender_realm_str') === INTERNAL_REALM ? true : undefined
}
