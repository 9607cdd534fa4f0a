import { toSite } from '../../model/platforms/site.js'
import { idAt, memberOf, objectAt, objectsAt, type Payload, textAt } from '../mapping/payload.js'

/** Information about the origin of a chat message that the message lacks. */
export interface ChatContext {
  /** Address of the server, as configured or from the hook URL's `?site=`; may lack its scheme. */
  site: string | undefined
  /** The users of the server by id, as listed by `GET /users`. Not available to webhooks. */
  users?: ReadonlyMap<string, ChatUser>
}

export interface ChatUser {
  isBot: boolean | undefined
  /** A word, such as `owner`, `administrator`, `moderator`, `member`, `guest`. */
  role: string | undefined
  email?: string | undefined
}

/** Host of an unknown server. */
const UNKNOWN_HOST = 'chat'

/**
 * The server, such as `chat.example.org`: ids are unique only there. No message names it. In order of preference, it is
 * the site of the context, the domain of a placeholder address, the domain in a form of the Slack format, or `chat`.
 *
 * @param message a message, or any event that names people
 */
export function hostOf(context: ChatContext, message: Payload): string {
  const baseUrl = baseUrlOf(context)
  if (baseUrl !== undefined) return new URL(baseUrl).host
  return standInHost(message) ?? domainAt(message, 'team_domain') ?? UNKNOWN_HOST
}

/** `https://chat.example.org`; undefined if no site is known. */
export function baseUrlOf({ site }: ChatContext): string | undefined {
  return site === undefined ? undefined : toSite(site)
}

/**
 * A member who hides their address gets one like `user123@chat.example.org`, made of their id and the server's host. It
 * counts only next to its owner's id, because a real address elsewhere may begin with `user123`.
 */
function standInHost(message: Payload): string | undefined {
  const user = objectAt(message, 'user')
  const people = [
    [idAt(message, 'sender_id'), textAt(message, 'sender_email')],
    [idAt(user, 'user_id') ?? idAt(user, 'id'), textAt(user, 'email')],
    ...objectsAt(message, 'display_recipient').map(person => [idAt(person, 'id'), textAt(person, 'email')]),
  ]
  for (const [id, email] of people) {
    if (id === undefined || email === undefined) continue
    const [, number, domain] = /^user(\d+)@([^@\s/?#\\]+)$/iu.exec(email) ?? []
    if (number === id) return domain?.toLowerCase()
  }
  return undefined
}

function domainAt(message: Payload, name: string): string | undefined {
  const text = memberOf(message, name)
  return typeof text === 'string' && /^[^@\s/?#\\]+$/u.test(text) ? text.toLowerCase() : undefined
}
