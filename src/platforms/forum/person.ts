/** People, whom the payloads show whole, as members of what they wrote, or by their ids alone. */
import type { Actor } from '../../model/event.js'
import { idAt, isTrue, known, memberOf, objectAt, type Payload, textAt } from '../payload.js'
import { type Instance, linkTo } from './instance.js'

export interface Person {
  id: string | undefined
  username: string | undefined
  name: string | undefined
  email: string | undefined
  /** An empty string where nothing is told. */
  role: string
}

/** A user as an object. */
export function personOf(user: Payload | undefined): Person | undefined {
  return user && toPerson(user, idAt(user, 'id'))
}

/** The author of a post, whose members stand among those of the post. */
export function authorOf(post: Payload | undefined): Person | undefined {
  return post && toPerson(post, idAt(post, 'user_id'))
}

/** The user in a member, or whoever `<name>_id` and `<name>_username` beside it tell. */
export function personAt(from: Payload | undefined, name: string): Person | undefined {
  const user = objectAt(from, name)
  if (user) return personOf(user)
  const id = idAt(from, `${name}_id`)
  const username = textAt(from, `${name}_username`)
  if (id === undefined && username === undefined) return undefined
  return { id, username, name: undefined, email: undefined, role: roleOf(undefined, id) }
}

/** The name that a person shows; names may be empty, and user names may not. */
export function displayOf(person: Person | undefined): string | undefined {
  return person?.name ?? person?.username
}

/** For the metadata of a node, where somebody is concerned without having done it. */
export function describe(person: Person | undefined): { id?: string; display?: string } | undefined {
  return person && known({ id: person.id, display: displayOf(person) })
}

/** Who did it, and nobody where that is not told. */
export function actorOf(instance: Instance, doer: Person | undefined): Actor {
  return {
    id: doer?.id ?? '',
    display: displayOf(doer) ?? '',
    metadata: known({
      username: doer?.username,
      email: doer?.email,
      url: doer?.username === undefined ? undefined : profileLink(instance, doer.username),
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

/** Users with a negative id are the forum's own, the system and its bots, though they are marked as admins as well. */
function roleOf(from: Payload | undefined, id: string | undefined): string {
  if (id?.startsWith('-')) return 'bot'
  if (isTrue(from, 'admin')) return 'admin'
  if (isTrue(from, 'moderator')) return 'moderator'
  if (isTrue(from, 'staff')) return 'staff'
  return typeof memberOf(from, 'trust_level') === 'number' ? 'member' : ''
}
