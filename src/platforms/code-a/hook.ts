import type { WebhookDelivery } from '../adapter.js'
import { toWord } from '../identity.js'
import type { MappedEvent } from '../mapped-event.js'
import { objectAt, type Payload, textAt } from '../payload.js'
import { canonicalVerb } from '../verbs.js'
import { hostOf } from './host.js'
import { type NativeEvent, readNativeEvent } from './native-event.js'

/** A delivery taken apart, as the rows of the mapping read it. */
export interface Hook extends NativeEvent {
  body: Payload
  /** The instance, such as `github.com`. */
  host: string
  repository: Payload | undefined
  /** `owner/name` as it is now; for display only, as repositories get renamed. */
  repositoryName: string | undefined
  sender: Payload | undefined
}

/** Words of this platform that stand for others in the past tense; the common ones are folded for all platforms. */
const PAST: ReadonlyMap<string, string> = new Map([
  ['dismiss', 'dismissed'],
  ['resolve', 'resolved'],
  ['suspend', 'suspended'],
  ['unsuspend', 'unsuspended'],
])

/** What a row makes of a delivery; everything else is the same for all rows. */
export interface Mapped extends MappedEvent {
  /** The object whose `author_association` tells the actor's role, if the actor wrote it. */
  written?: Payload | undefined
}

export function readHook(headers: WebhookDelivery['headers'], body: Payload): Hook {
  // Forgejo tells of a run of its actions by nothing but the run.
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

/** The verb of a delivery that names its action; `received` where it does not, which claims nothing. */
export function verbOf(hook: Hook, unnamed = 'received'): string {
  const word = toWord(hook.nativeAction) ?? unnamed
  return PAST.get(word) ?? canonicalVerb(word)
}
