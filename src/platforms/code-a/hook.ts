import type { Conversation, TargetNode } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { type ConversationText, conversationIn } from '../mapping/code-host.js'
import { toWord } from '../mapping/identifiers.js'
import type { MappedEvent } from '../mapping/mapped-event.js'
import { objectAt, type Payload, textAt } from '../mapping/payload.js'
import { canonicalVerb } from '../mapping/words.js'
import { type NativeEvent, readNativeEvent } from './native-event.js'

/** A parsed delivery, as input of the mappings. */
export interface Hook extends NativeEvent {
  body: Payload
  /** The instance, such as `github.com`. */
  host: string
  repository: Payload | undefined
  /** Current `owner/name`. Only for display, because repositories are renamed. */
  repositoryName: string | undefined
  sender: Payload | undefined
}

/** Past tense of words specific to this platform. Another table has the words that all platforms share. */
const PAST: ReadonlyMap<string, string> = new Map([
  ['dismiss', 'dismissed'],
  ['resolve', 'resolved'],
  ['schedule', 'scheduled'],
  ['suspend', 'suspended'],
  ['unsuspend', 'unsuspended'],
])

/** The result of a mapping for a delivery. Everything else is the same for all mappings. */
export interface Mapped extends MappedEvent {
  /**
   * The event's object. If the actor wrote it, its `author_association` is the actor's role. It contains the new values
   * of `changes`.
   */
  written?: Payload | undefined
}

export function readHook(headers: WebhookDelivery['headers'], body: Payload): Hook {
  // Forgejo sends an actions run as the only object.
  const run = objectAt(body, 'run')
  const repository = objectAt(body, 'repository') ?? objectAt(run, 'repository')
  const sender = objectAt(body, 'sender') ?? objectAt(run, 'trigger_user')
  const around = [repository, objectAt(body, 'organization'), objectAt(body, 'enterprise'), sender]
  return {
    ...readNativeEvent(headers, body),
    body,
    // On older Gitea, a package of no repository is the only object with an address.
    host: hostOf(headers, [...around, objectAt(body, 'package')]),
    repository,
    repositoryName: textAt(repository, 'full_name'),
    sender,
  }
}

/** The verb of a delivery from its action; without one, the neutral `received`. */
export function verbOf(hook: Hook, unnamed = 'received'): string {
  const word = toWord(hook.nativeAction) ?? unnamed
  return PAST.get(word) ?? canonicalVerb(word)
}

export function conversationOf(
  { repositoryName }: Hook,
  carrier: TargetNode | undefined,
  content: ConversationText,
): Conversation {
  return conversationIn(repositoryName, carrier, content)
}

const AUTHORITY = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@\\\s]+)/iu

/**
 * The instance of a delivery, such as `github.com` or `git.example.org:3000`: ids are unique only there. The body takes
 * precedence over the headers, so that two hooks for one event agree.
 *
 * @param objects objects that may contain an address of the instance, most reliable first
 */
function hostOf(headers: WebhookDelivery['headers'], objects: readonly (Payload | undefined)[]): string {
  for (const object of objects) {
    const host = AUTHORITY.exec(textAt(object, 'html_url') ?? '')?.[1]
    if (host) return host.toLowerCase()
  }
  return headers['x-github-enterprise-host']?.trim().toLowerCase() || 'unknown'
}
