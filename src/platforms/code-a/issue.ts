import { idAt, objectAt } from '../payload.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { discussionNode, isPullRequest, issueNode, pathInRepository, pullRequestNode } from './nodes.js'
import { mapTracked } from './tracked.js'

export function mapIssue(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'issue')
  const verb = verbOf(hook)
  if (!isPullRequest(hook, object)) {
    return mapTracked(hook, { objectType: 'issue', object, verb, target: issueNode(hook, object) })
  }
  // Some changes to a pull request arrive as changes to its issue, whose id is then the only identity.
  const target = pullRequestNode(hook, object)
  const mapped = mapTracked(hook, { objectType: 'pull_request', object, verb, target })
  return { ...mapped, keyType: 'issue', subjectId: pathInRepository(hook, idAt(object, 'number')) ?? mapped.subjectId }
}

export function mapDiscussion(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'discussion')
  const target = discussionNode(hook, object)
  return mapTracked(hook, { objectType: 'discussion', object, verb: verbOf(hook), target })
}
