/** Relations between two issues: one is part of the other, or blocked by it. */
import type { TargetNode } from '../../../model/events/event.js'
import { idAt, known, objectAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import type { Hook } from '../hook.js'
import { issueNode, type Named } from '../target-nodes.js'
import type { DescribedEvent, Description } from './description.js'

/** The two issues: the one in the event's own repository, and the other one. */
interface Relation {
  own: string
  other: string
}

/** The platform sends each relation twice: once for each issue, with that issue's repository. */
function relationOf({ nativeAction = '' }: Hook): Relation | undefined {
  if (nativeAction.startsWith('sub_issue_')) return { own: 'parent_issue', other: 'sub_issue' }
  if (nativeAction.startsWith('parent_issue_')) return { own: 'sub_issue', other: 'parent_issue' }
  if (nativeAction.startsWith('blocked_by_')) return { own: 'blocked_issue', other: 'blocking_issue' }
  if (nativeAction.startsWith('blocking_')) return { own: 'blocking_issue', other: 'blocked_issue' }
  return undefined
}

function describeTie(hook: Hook, object: Payload | undefined): Description {
  const relation = relationOf(hook)
  if (!relation) return object ? { target: issueNode(hook, object) } : {}
  const own = objectAt(hook.body, relation.own)
  const other = objectAt(hook.body, relation.other)
  return {
    target: own || object ? issueNode(hook, own ?? object) : undefined,
    facts: {
      [relation.other]:
        other && namedIssue(hook, other, textAt(objectAt(hook.body, `${relation.other}_repo`), 'full_name')),
    },
  }
}

/** `#13 Carry lever`, or `labs/loom#13 Carry lever` in another repository, with its page. */
function namedIssue(hook: Hook, issue: Payload, repository = hook.repositoryName): Named & { url?: string } {
  const { display }: TargetNode = issueNode(hook, issue)
  const elsewhere = repository === hook.repositoryName || display === undefined ? undefined : `${repository}${display}`
  return known({ id: idAt(issue, 'id'), display: elsewhere ?? display, url: webUrlAt(issue, 'html_url') })
}

export const ISSUE_RELATIONS: Readonly<Record<string, DescribedEvent>> = {
  sub_issues: {
    verbs: ['sub_issue_added', 'sub_issue_removed', 'parent_issue_added', 'parent_issue_removed'],
    describe: describeTie,
  },
  issue_dependencies: {
    verbs: ['blocked_by_added', 'blocked_by_removed', 'blocking_added', 'blocking_removed'],
    describe: describeTie,
  },
}
