import type { Actor } from '../../model/event.js'
import { idAt, known, objectAt, type Payload, textAt } from '../payload.js'
import type { Hook } from './hook.js'

/** Who did what a row does not say otherwise about: nobody, where the payload does not name a `user`. */
export function actorOf({ body }: Hook): Actor {
  return toActor(objectAt(body, 'user'))
}

/** A person as most payloads hold one. Older ones lack the id, some jobs' the username. */
export function toActor(user: Payload | undefined): Actor {
  const username = textAt(user, 'username')
  const name = textAt(user, 'name')
  return {
    id: idAt(user, 'id') ?? '',
    display: username ?? name ?? '',
    metadata: known({ name, username, email: textAt(user, 'email') }),
  }
}

/** The person who pushed, told by members of the body itself. In other payloads these are not who did it. */
export function pusherOf({ body }: Hook): Actor {
  const username = textAt(body, 'user_username')
  const name = textAt(body, 'user_name')
  return {
    id: idAt(body, 'user_id') ?? '',
    display: username ?? name ?? '',
    metadata: known({ name, username, email: textAt(body, 'user_email') }),
  }
}

/** A person of whom nothing but the id is told. */
export function actorById(id: string | undefined): Actor {
  return { id: id ?? '', display: '', metadata: {} }
}

const TOKEN_BOT = /^(?:project|group)_\d+_bot/u
/** Accounts that the platform itself acts under. */
const INTERNAL: ReadonlySet<string> = new Set([
  'alert-bot',
  'automation-bot',
  'ghost',
  'migration-bot',
  'security-bot',
  'support-bot',
  'visual-review-bot',
])

/** Payloads tell no roles of the actor; only bots are known, by their reserved usernames. */
export function actorRoleOf({ metadata }: Actor): string {
  const { username } = metadata
  if (typeof username !== 'string') return ''
  return TOKEN_BOT.test(username) || INTERNAL.has(username) ? 'bot' : ''
}
