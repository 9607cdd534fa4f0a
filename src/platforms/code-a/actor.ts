import type { Actor } from '../../model/events/event.js'
import { idAt, known, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'
import { loginOf } from './target-nodes.js'

/**
 * The actor: the sender, else the pusher; anonymous if neither is sent. Never the author of the object.
 */
export function actorOf(hook: Hook): Actor {
  const { sender } = hook
  if (!sender) return pusherOf(hook)
  return {
    id: idAt(sender, 'id') ?? '',
    display: loginOf(sender) ?? '',
    metadata: known({
      type: textAt(sender, 'type'),
      name: textAt(sender, 'full_name') ?? textAt(sender, 'name'),
      email: textAt(sender, 'email') ?? pusherEmail(hook),
      url: webUrlAt(sender, 'html_url'),
    }),
  }
}

/**
 * The actor's role, if sent. An association describes the author of an object, so it counts only if the actor wrote
 * that object.
 *
 * @returns an empty string if there is none
 */
export function actorRoleOf({ sender }: Hook, written: Payload | undefined): string {
  if (textAt(sender, 'type') === 'Bot' || loginOf(sender)?.endsWith('[bot]')) return 'bot'
  const senderId = idAt(sender, 'id')
  if (senderId === undefined || idAt(objectAt(written, 'user'), 'id') !== senderId) return ''
  const association = textAt(written, 'author_association')?.toLowerCase() ?? ''
  return association === 'collaborator' ? 'member' : association
}

/** Old pushes, and those by a deploy key, contain only the pusher, often only a name. */
function pusherOf({ body }: Hook): Actor {
  const pusher = objectAt(body, 'pusher')
  return {
    id: idAt(pusher, 'id') ?? '',
    display: loginOf(pusher) ?? textAt(pusher, 'name') ?? '',
    metadata: known({ email: textAt(pusher, 'email') }),
  }
}

/** Only pushes contain an email address. It is the pusher's, who is usually the sender. */
function pusherEmail({ body, sender }: Hook): string | undefined {
  const pusher = objectAt(body, 'pusher')
  const login = loginOf(sender)
  return login !== undefined && (loginOf(pusher) ?? textAt(pusher, 'name')) === login
    ? textAt(pusher, 'email')
    : undefined
}
