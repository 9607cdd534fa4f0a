import type { Actor, Conversation, TargetNode } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { type ConversationText, conversationIn } from '../mapping/code-host.js'
import { toWord } from '../mapping/identifiers.js'
import type { MappedEvent } from '../mapping/mapped-event.js'
import { isTrue, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { canonicalVerb } from '../mapping/words.js'
import { type Instance, readInstance } from './instance.js'
import { type NativeEvent, readNativeEvent } from './native-event.js'
import { type Group, type Project, readGroup, readProject } from './place.js'

/** A parsed delivery, as input of the mappings. */
export interface Hook extends NativeEvent {
  body: Payload
  /** The object of most events. */
  attributes: Payload | undefined
  instance: Instance
  project: Project | undefined
  group: Group | undefined
  /** On the platform, only some members can see it. */
  confidential: boolean
}

/** The result of a mapping for a delivery. Everything else is the same for all mappings. */
export interface Mapped extends MappedEvent {
  /** The actor, if not the payload's `user`. */
  actor?: Actor
}

/** Past tense of words specific to this platform. Another table has the words that all platforms share. */
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

/** The verb of a delivery from its action; without one, the neutral `received`. */
export function verbOf(hook: Hook, unnamed = 'received'): string {
  const word = toWord(hook.nativeAction) ?? unnamed
  return PAST.get(word) ?? canonicalVerb(word)
}

export function conversationOf(
  { project, group }: Hook,
  carrier: TargetNode | undefined,
  content: ConversationText,
): Conversation {
  return conversationIn(project ? project.path : group?.path, carrier, content)
}

function isConfidential(headers: WebhookDelivery['headers'], body: Payload): boolean {
  const names = [textAt(body, 'event_type'), headers['x-gitlab-event']]
  // The object, and what it belongs to: a reaction belongs to a comment, and both to an issue or work item.
  const objects = ['object_attributes', 'note', 'issue', 'work_item'].map(name => objectAt(body, name))
  return (
    names.some(name => /^confidential[ _]/iu.test(name ?? '')) ||
    objects.some(object => isTrue(object, 'confidential') || isTrue(object, 'internal'))
  )
}
