/** Issues, work items and merge requests share a life cycle: opened, changed, closed, reopened. */
import type { TargetNode } from '../../model/events/event.js'
import { idAt, known, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { addedOf, changedMembers, changeParts, changesOf } from './changes.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { issueNode, pullRequestNode, workItemNode } from './target-nodes.js'
import { firstTimeAt, timeAt } from './time.js'

interface IssueLike {
  objectType: 'issue' | 'work_item' | 'pull_request'
  target: TargetNode
  /** Distinguishes changes, in addition to their time. */
  apart?: readonly (string | undefined)[]
  metadata?: Record<string, unknown>
}

export function mapIssue(hook: Hook): Mapped {
  return mapIssueLike(hook, { objectType: 'issue', target: issueNode(hook, hook.attributes) })
}

export function mapWorkItem(hook: Hook): Mapped {
  return mapIssueLike(hook, { objectType: 'work_item', target: workItemNode(hook, hook.attributes) })
}

/** Verbs for approvals. Approvals by two people, and the fulfilment of all rules, can be simultaneous events. */
const APPROVALS: ReadonlyMap<string, string> = new Map([
  ['approved', 'approved'],
  ['approval', 'approved'],
  ['unapproved', 'unapproved'],
  ['unapproval', 'unapproved'],
])

export function mapMergeRequest(hook: Hook): Mapped {
  const { attributes } = hook
  const oldRevision = textAt(attributes, 'oldrev')
  const head = lastCommitOf(attributes)
  const approval = APPROVALS.has(verbOf(hook)) ? approvalParts(hook) : []
  return mapIssueLike(hook, {
    objectType: 'pull_request',
    target: pullRequestNode(hook, attributes),
    apart: [...approval, ...(oldRevision === undefined ? [] : [head])],
    metadata: known({
      source_branch: textAt(attributes, 'source_branch'),
      target_branch: textAt(attributes, 'target_branch'),
      old_revision: oldRevision,
      head,
    }),
  })
}

/** Older versions send no `actioned_at`. Two approvals by one person without a change in between are then one event. */
function approvalParts({ attributes, body }: Hook): (string | undefined)[] {
  const actionedAt = timeAt(attributes, 'actioned_at')
  return [idAt(objectAt(body, 'user'), 'id'), ...(actionedAt === undefined ? [] : [actionedAt])]
}

function mapIssueLike(hook: Hook, { objectType, target, apart = [], metadata }: IssueLike): Mapped {
  const { attributes, body } = hook
  const verb = verbOf(hook)
  const id = idAt(attributes, 'id')
  const once = verb === 'created' || verb === 'merged' || verb === 'deleted'
  const changed = once ? [] : changedMembers(body)
  return {
    objectType,
    verb,
    subjectId: id,
    identity: id,
    occurrence: once ? 'once' : [firstTimeAt(attributes, ['updated_at', 'closed_at']), ...apart, ...changeParts(body)],
    occurredAt: changeTime(attributes, verb),
    outcome: APPROVALS.get(verb),
    target,
    conversation: conversationOf(hook, target, { text: textAt(attributes, 'description') }),
    metadata: {
      ...known({
        work_item_type: textAt(attributes, 'type'),
        changed: changed.length > 0 ? changed : undefined,
        changes: changed.length > 0 ? changesOf(body) : undefined,
      }),
      ...(changed.length > 0 ? addedOf(body) : {}),
      ...metadata,
    },
  }
}

/**
 * The time of this action, never of another one. A deletion has none. An approval does not change `updated_at`; newer
 * versions send `actioned_at`.
 */
function changeTime(object: Payload | undefined, verb: string): string | undefined {
  if (APPROVALS.has(verb)) return timeAt(object, 'actioned_at')
  switch (verb) {
    case 'created':
      return timeAt(object, 'created_at')
    case 'closed':
      return firstTimeAt(object, ['closed_at', 'updated_at'])
    case 'deleted':
      return undefined
    default:
      return timeAt(object, 'updated_at')
  }
}

function lastCommitOf(mergeRequest: Payload | undefined): string | undefined {
  return textAt(objectAt(mergeRequest, 'last_commit'), 'id')
}
