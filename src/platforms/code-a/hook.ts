import type { Conversation, TargetNode } from '../../model/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { toWord } from '../identity.js'
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

/**
 * How one occurrence is told from the next: `once` for what cannot happen twice to one object, else the parts that
 * differ between occurrences. A part that is missing leaves that open, and the delivery itself has to tell.
 */
export type Occurrence = 'once' | readonly (string | undefined)[]

/** What a row makes of a delivery; everything else is the same for all rows. */
export interface Mapped {
  objectType: string
  verb: string
  subjectId: string | undefined
  /** What identifies the object among all of its type on its host; mostly its native id. */
  identity: string | undefined
  occurrence: Occurrence
  occurredAt: string | undefined
  target: TargetNode
  conversation: Conversation
  /** The object whose `author_association` tells the actor's role, if the actor wrote it. */
  written?: Payload | undefined
  /** Joins the native words in `action.metadata`. */
  metadata?: Record<string, unknown>
}

export function readHook(headers: WebhookDelivery['headers'], body: Payload): Hook {
  const repository = objectAt(body, 'repository')
  return {
    ...readNativeEvent(headers, body),
    body,
    host: hostOf(headers, body),
    repository,
    repositoryName: textAt(repository, 'full_name'),
    sender: objectAt(body, 'sender'),
  }
}

/** The verb of a delivery that names its action; `received` where it does not, which claims nothing. */
export function verbOf(hook: Hook, unnamed = 'received'): string {
  return canonicalVerb(toWord(hook.nativeAction) ?? unnamed)
}

/** Drops what is not known, so that an event holds no empty members. */
export function known<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const name in members) {
    if (members[name] !== undefined) kept[name] = members[name] as Exclude<T[typeof name], undefined>
  }
  return kept
}
