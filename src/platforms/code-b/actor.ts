import type { Actor } from '../../model/events/event.js'
import { idAt, known, objectAt, type Payload, textAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'

/** The payload's `user`, else anonymous. A mapping may name another actor. */
export function actorOf({ body }: Hook): Actor {
  return toActor(objectAt(body, 'user'))
}

/** A person in the usual form. Older payloads have no id, and those of some jobs no username. */
export function toActor(user: Payload | undefined): Actor {
  const username = textAt(user, 'username')
  const name = textAt(user, 'name')
  return {
    id: idAt(user, 'id') ?? '',
    display: username ?? name ?? '',
    metadata: known({ name, username, email: textAt(user, 'email') }),
  }
}

/** The pusher, from members of the body. In other payloads, these members are not the actor. */
export function pusherOf({ body }: Hook): Actor {
  const username = textAt(body, 'user_username')
  const name = textAt(body, 'user_name')
  return {
    id: idAt(body, 'user_id') ?? '',
    display: username ?? name ?? '',
    metadata: known({ name, username, email: textAt(body, 'user_email') }),
  }
}

/** A person known only by id. */
export function actorById(id: string | undefined): Actor {
  return { id: id ?? '', display: '', metadata: {} }
}

const TOKEN_BOT = /^(?:project|group)_\d+_bot/u
/** Accounts of the platform itself. */
const INTERNAL: ReadonlySet<string> = new Set([
  'alert-bot',
  'automation-bot',
  'ghost',
  'migration-bot',
  'security-bot',
  'support-bot',
  'visual-review-bot',
])

/** Only bots are recognised, by their reserved usernames: payloads have no roles. */
export function actorRoleOf({ metadata }: Actor): string {
  const { username } = metadata
  if (typeof username !== 'string') return ''
  return TOKEN_BOT.test(username) || INTERNAL.has(username) ? 'bot' : ''
}
