import type { WebhookDelivery } from '../adapter.js'
import { toWord } from '../identity.js'
import type { MappedEvent } from '../mapped-event.js'
import { objectAt, type Payload, textAt } from '../payload.js'
import { canonicalVerb } from '../verbs.js'
import { hostOf } from './host.js'
import { type NativeEvent, readNativeEvent } from './native-event.js'

/** A parsed delivery, as input of the mapping's rows. */
export interface Hook extends NativeEvent {
  body: Payload
  /** The instance, such as `github.com`. */
  host: string
  repository: Payload | undefined
  /** Current `owner/name`; only for display, because repositories get renamed. */
  repositoryName: string | undefined
  sender: Payload | undefined
}

/** Words specific to this platform → past tense; shared words are mapped for all platforms. */
const PAST: ReadonlyMap<string, string> = new Map([
  ['dismiss', 'dismissed'],
  ['resolve', 'resolved'],
  ['schedule', 'scheduled'],
  ['suspend', 'suspended'],
  ['unsuspend', 'unsuspended'],
])

/** What a row makes of a delivery. Everything else is equal for all rows. */
export interface Mapped extends MappedEvent {
  /**
   * The event's object: its `author_association` is the actor's role if the actor wrote it, and it contains the new
   * values of `changes`.
   */
  written?: Payload | undefined
}

export function readHook(headers: WebhookDelivery['headers'], body: Payload): Hook {
  // Forgejo sends an actions run as the only object.
  const run = objectAt(body, 'run')
  const repository = objectAt(body, 'repository') ?? objectAt(run, 'repository')
  const sender = objectAt(body, 'sender') ?? objectAt(run, 'trigger_user')
  return {
    ...readNativeEvent(headers, body),
    body,
    host: hostOf(headers, [repository, objectAt(body, 'organization'), objectAt(body, 'enterprise'), sender]),
    repository,
    repositoryName: textAt(repository, 'full_name'),
    sender,
  }
}

/** The verb of a delivery from its action; `received` if there is none, which claims nothing. */
export function verbOf(hook: Hook, unnamed = 'received'): string {
  const word = toWord(hook.nativeAction) ?? unnamed
  return PAST.get(word) ?? canonicalVerb(word)
}
