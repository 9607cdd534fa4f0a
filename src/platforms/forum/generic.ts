/** Every event of a type without a mapping: recorded under the platform's own names, as far as readable. */
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { conversationOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, verbOf, wordsOf } from './hook.js'
import { personAt } from './person.js'
import { postLink, postNode, topicAround } from './target-nodes.js'

export function mapGeneric(hook: Hook): Mapped {
  const { object } = hook
  const objectType = toWord(hook.type) ?? 'event'
  const verb = verbOf(hook, hook.type)
  const id = idAt(object, 'id')
  // Plugins send objects that are attached to a post, such as calendar dates.
  const post = objectAt(object, 'post')
  const around = post === undefined ? topicAround(hook, object) : postNode(hook, withTopicId(post))
  const target = toNode(objectType, {
    id,
    display: textAt(object, 'title') ?? textAt(object, 'name') ?? textAt(objectAt(post, 'topic'), 'title'),
    url: postLink(hook, object) ?? around.url,
    metadata: known({ starts_at: instantAt(object, 'starts_at'), ends_at: instantAt(object, 'ends_at') }),
    parent: around,
  })
  return {
    objectType,
    verb,
    subjectId: id ?? anyIdOf(object),
    identity: id,
    occurrence: verb === 'created' ? 'once' : IDENTIFIED_BY_BODY,
    occurredAt: instantAt(object, `${verb}_at`),
    target,
    conversation: conversationOf(target, wordsOf(object)),
    actor: personAt(object, `${verb}_by`) ?? (verb === 'created' ? personAt(object, 'creator') : undefined),
  }
}

function withTopicId(post: Payload): Payload {
  return { topic_id: idAt(objectAt(post, 'topic'), 'id'), ...post }
}

/** The first id, such as the `topic_id` of an event about a topic. */
function anyIdOf(object: Payload | undefined): string | undefined {
  const name = Object.keys(object ?? {}).find(name => name.endsWith('_id') && idAt(object, name) !== undefined)
  return name === undefined ? undefined : idAt(object, name)
}
