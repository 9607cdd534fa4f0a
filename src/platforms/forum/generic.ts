/** Every event of a type that has no row: kept under the platform's own words, as far as they can be read. */
import { toWord } from '../identity.js'
import { toNode } from '../node.js'
import { idAt, instantAt, type Payload, textAt } from '../payload.js'
import { conversationOf, wordsOf } from './conversation.js'
import { type Hook, type Mapped, TOLD_BY_BODY, verbOf } from './hook.js'
import { postLink, topicAround } from './nodes.js'
import { personAt } from './person.js'

export function mapGeneric(hook: Hook): Mapped {
  const { object } = hook
  const objectType = toWord(hook.type) ?? 'event'
  const verb = verbOf(hook, hook.type)
  const id = idAt(object, 'id')
  const target = toNode(objectType, {
    id,
    display: textAt(object, 'title') ?? textAt(object, 'name'),
    url: postLink(hook, object),
    parent: topicAround(hook, object),
  })
  return {
    objectType,
    verb,
    subjectId: id ?? anyIdOf(object),
    identity: id,
    occurrence: verb === 'created' ? 'once' : TOLD_BY_BODY,
    occurredAt: instantAt(object, `${verb}_at`),
    target,
    conversation: conversationOf(target, wordsOf(object)),
    doer: personAt(object, `${verb}_by`),
  }
}

/** The first id that is told, such as the `topic_id` of what happened to a topic. */
function anyIdOf(object: Payload | undefined): string | undefined {
  const name = Object.keys(object ?? {}).find(name => name.endsWith('_id') && idAt(object, name) !== undefined)
  return name === undefined ? undefined : idAt(object, name)
}
