import { objectAt } from '../payload.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { discussionNode, issueNode } from './nodes.js'
import { mapTracked } from './tracked.js'

export function mapIssue(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'issue')
  return mapTracked(hook, { objectType: 'issue', object, verb: verbOf(hook), target: issueNode(hook, object) })
}

export function mapDiscussion(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'discussion')
  const target = discussionNode(hook, object)
  return mapTracked(hook, { objectType: 'discussion', object, verb: verbOf(hook), target })
}
