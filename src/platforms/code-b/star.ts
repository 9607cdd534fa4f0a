import { idAt, objectAt } from '../mapping/payload.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { pathInProject, projectNode } from './target-nodes.js'
import { timeAt } from './time.js'

/** GitLab has no webhook for stars. Only the history creates these deliveries. */
export function mapStar(hook: Hook): Mapped {
  const starredAt = timeAt(hook.attributes, 'starred_since')
  const id = pathInProject(hook, idAt(objectAt(hook.body, 'user'), 'id'))
  const target = projectNode(hook, hook.project ?? { id: undefined, path: undefined, url: undefined })
  return {
    objectType: 'star',
    verb: verbOf(hook),
    subjectId: id,
    identity: id,
    // A star can be removed and added again.
    occurrence: [starredAt],
    occurredAt: starredAt,
    target,
    conversation: conversationOf(hook, target, {}),
  }
}
