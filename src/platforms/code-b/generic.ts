/** Every event without a mapping of its own: recorded under the platform's own names, as far as readable. */

import { neutralType } from '../../model/subscriptions/target-place.js'
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, objectAt, textAt, webUrlAt } from '../mapping/payload.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, projectId } from './target-nodes.js'
import { firstTimeAt } from './time.js'

export function mapGeneric(hook: Hook): Mapped {
  const { body } = hook
  const objectType = neutralType(toWord(hook.name) ?? 'event')
  const object = hook.attributes ?? objectAt(body, hook.name)
  const verb = verbOf(hook)
  const id = idAt(object, 'id')
  const times = verb === 'created' || verb === 'deleted' ? [`${verb}_at`] : [`${verb}_at`, 'updated_at']
  const occurredAt = firstTimeAt(object, times) ?? firstTimeAt(body, times)
  const carrier = carrierNode(hook)
  const isCarrier = object === undefined || object === objectAt(body, 'project')
  const target =
    isCarrier && carrier
      ? carrier
      : toNode(objectType, {
          id,
          display: textAt(object, 'title') ?? textAt(object, 'name'),
          url: webUrlAt(object, 'url'),
          parent: carrier,
        })
  return {
    objectType,
    verb,
    subjectId: id ?? projectId(hook.project) ?? hook.group?.id,
    identity: id,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : [occurredAt],
    occurredAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(object, 'description') }),
  }
}
