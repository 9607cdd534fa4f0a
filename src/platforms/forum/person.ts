/** People. They appear as whole objects, as members of what they wrote, or only by id. */
import type { Actor } from '../../model/events/event.js'
import { idAt, isTrue, known, memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { type Instance, linkTo } from './instance.js'

export interface Person {
  id: string | undefined
  username: string | undefined
  name: string | undefined
  email: string | undefined
  /** An empty string if unknown. */
  role: string
}

/** A user as an object. */
export function personOf(user: Payload | undefined): Person | undefined {
  return user && toPerson(user, idAt(user, 'id'))
}

/** The author of a post, from the post's own members. */
export function authorOf(post: Payload | undefined): Person | undefined {
  return post && toPerson(post, idAt(post, 'user_id'))
}

/** The user in the member `<name>`, or in the members `<name>_id` and `<name>_username`. */
export function personAt(from: Payload | undefined, name: string): Person | undefined {
  const user = objectAt(from, name)
  if (user) return personOf(user)
  const id = idAt(from, `${name}_id`)
  const username = textAt(from, `${name}_username`)
  if (id === undefined && username === undefined) return undefined
  return { id, username, name: undefined, email: undefined, role: roleOf(undefined, id) }
}

/**
 * The built-in accounts of every forum, by id. Source: Discourse, `Discourse::SYSTEM_USER_ID`,
 * `DiscourseNarrativeBot::BOT_USER_ID`.
 */
const OWN_ACCOUNTS: ReadonlyMap<string, string> = new Map([
  ['-1', 'system'],
  ['-2', 'discobot'],
])

/** A person's display name. Names may be empty; usernames may not. */
export function displayOf(person: Person | undefined): string | undefined {
  return person?.name ?? person?.username ?? OWN_ACCOUNTS.get(person?.id ?? '')
}

/** The id and name of an affected person, for a node's metadata. */
export function describe(person: Person | undefined): { id?: string; display?: string } | undefined {
  return person && known({ id: person.id, display: displayOf(person) })
}

/** The actor; anonymous if unknown. */
export function actorOf(instance: Instance, actor: Person | undefined): Actor {
  return {
    id: actor?.id ?? '',
    display: displayOf(actor) ?? '',
    metadata: known({
      username: actor?.username,
      email: actor?.email,
      url: actor?.username === undefined ? undefined : profileLink(instance, actor.username),
    }),
  }
}

export function profileLink(instance: Instance, username: string): string | undefined {
  return linkTo(instance, 'u', username)
}

function toPerson(from: Payload, id: string | undefined): Person {
  return {
    id,
    username: textAt(from, 'username'),
    name: textAt(from, 'name') ?? textAt(from, 'display_username'),
    email: textAt(from, 'email'),
    role: roleOf(from, id),
  }
}

/** Users with a negative id belong to the forum itself: the system and its bots, although they are marked as admins. */
function roleOf(from: Payload | undefined, id: string | undefined): string {
  if (id?.startsWith('-')) return 'bot'
  if (isTrue(from, 'admin')) return 'admin'
  if (isTrue(from, 'moderator')) return 'moderator'
  if (isTrue(from, 'staff')) return 'staff'
  return typeof memberOf(from, 'trust_level') === 'number' ? 'member' : ''
}
