import type { Actor, Conversation, TargetNode } from '../../model/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { toWord } from '../identity.js'
import type { MappedEvent } from '../mapped-event.js'
import { isTrue, objectAt, type Payload, textAt } from '../payload.js'
import { conversationIn } from '../repository-conversation.js'
import { canonicalVerb } from '../verbs.js'
import { type Instance, readInstance } from './host.js'
import { type NativeEvent, readNativeEvent } from './native-event.js'
import { type Group, type Project, readGroup, readProject } from './place.js'

/** A delivery taken apart, as the rows of the mapping read it. */
export interface Hook extends NativeEvent {
  body: Payload
  /** The object of most events. */
  attributes: Payload | undefined
  instance: Instance
  project: Project | undefined
  group: Group | undefined
  /** Only some members may see it on the platform. */
  confidential: boolean
}

/** What a row makes of a delivery; everything else is the same for all rows. */
export interface Mapped extends MappedEvent {
  /** Who did it, where that is not the `user` of the payload. */
  actor?: Actor
}

/** Words of this platform that stand for others in the past tense; the common ones are folded for all platforms. */
const PAST: ReadonlyMap<string, string> = new Map([
  ['approve', 'approved'],
  ['deny', 'denied'],
  ['enqueue', 'enqueued'],
  ['rename', 'renamed'],
  ['transfer', 'transferred'],
])

export function readHook(headers: WebhookDelivery['headers'], body: Payload): Hook {
  const native = readNativeEvent(headers, body)
  const instance = readInstance(headers, body)
  return {
    ...native,
    body,
    attributes: objectAt(body, 'object_attributes'),
    instance,
    project: readProject(native.name, body, instance),
    group: readGroup(body, instance),
    confidential: isConfidential(headers, body),
  }
}

/** The verb of a delivery that names its action; `received` where it does not, which claims nothing. */
export function verbOf(hook: Hook, unnamed = 'received'): string {
  const word = toWord(hook.nativeAction) ?? unnamed
  return PAST.get(word) ?? canonicalVerb(word)
}

/** Where the words of an event belong, and the words. */
export function conversationOf(
  { project, group }: Hook,
  carrier: TargetNode | undefined,
  said: { text?: string | undefined; url?: string | undefined; title?: string | undefined },
): Conversation {
  return conversationIn(project ? project.path : group?.path, carrier, said)
}

function isConfidential(headers: WebhookDelivery['headers'], body: Payload): boolean {
  const attributes = objectAt(body, 'object_attributes')
  const told = [textAt(body, 'event_type'), headers['x-gitlab-event']]
  return (
    told.some(name => /^confidential[ _]/iu.test(name ?? '')) ||
    isTrue(attributes, 'confidential') ||
    isTrue(attributes, 'internal') ||
    isTrue(objectAt(body, 'issue'), 'confidential')
  )
}
