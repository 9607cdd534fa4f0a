/** Issues, pull requests and discussions share a life cycle: opened, changed, labelled, closed, transferred. */
import type { TargetNode } from '../../model/events/event.js'
import type { Occurrence } from '../mapping/mapped-event.js'
import {
  firstInstantAt,
  idAt,
  instantAt,
  known,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
  webUrlAt,
} from '../mapping/payload.js'
import { editedText } from './changes.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import {
  discussionNode,
  isPullRequest,
  issueNode,
  type Named,
  namedBy,
  pathInRepository,
  pullRequestNode,
} from './target-nodes.js'

export function mapIssue(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'issue')
  const verb = verbOf(hook)
  if (!isPullRequest(hook, object)) {
    return mapIssueLike(hook, { objectType: 'issue', object, verb, target: issueNode(hook, object) })
  }
  // Some changes to a pull request arrive as changes to its issue, whose id is then the only identity.
  const target = pullRequestNode(hook, object)
  const mapped = mapIssueLike(hook, { objectType: 'pull_request', object, verb, target })
  return { ...mapped, keyType: 'issue', subjectId: pathInRepository(hook, idAt(object, 'number')) ?? mapped.subjectId }
}

export function mapDiscussion(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'discussion')
  const target = discussionNode(hook, object)
  return mapIssueLike(hook, { objectType: 'discussion', object, verb: verbOf(hook), target })
}

interface IssueLike {
  objectType: 'issue' | 'pull_request' | 'discussion'
  object: Payload | undefined
  verb: string
  target: TargetNode
}

export function mapIssueLike(hook: Hook, { objectType, object, verb, target }: IssueLike): Mapped {
  const id = idAt(object, 'id')
  return {
    objectType,
    verb,
    subjectId: id,
    identity: id,
    occurrence: occurrenceOf(hook, object, verb),
    occurredAt: changeTime(object, verb),
    target,
    conversation: conversationOf(hook, target, { text: textAt(object, 'body') }),
    written: object,
    metadata: {
      ...concernedMetadata(hook, object, verb),
      ...known({ moved_to: movedTo(hook, verb), reason: reasonOf(hook, object, verb) }),
    },
  }
}

/** The time of this action, never of another one. A deletion has none. */
function changeTime(object: Payload | undefined, verb: string): string | undefined {
  switch (verb) {
    case 'created':
      return instantAt(object, 'created_at')
    case 'closed':
      return firstInstantAt(object, ['closed_at', 'updated_at'])
    case 'merged':
      return firstInstantAt(object, ['merged_at', 'closed_at'])
    case 'answered':
      return firstInstantAt(object, ['answer_chosen_at', 'updated_at'])
    case 'deleted':
      return undefined
    default:
      return instantAt(object, 'updated_at')
  }
}

function occurrenceOf(hook: Hook, object: Payload | undefined, verb: string): Occurrence {
  if (verb === 'created' || verb === 'deleted' || verb === 'merged') return 'once'
  const when = changeTime(object, verb)
  const moved = movedTo(hook, verb)
  if (moved) return [moved.id]
  // New commits do not edit the text.
  if (verb === 'updated' && !hook.nativeAction?.startsWith('synchronize')) return [when, editedText(object)]
  return concernedBy(verb).length > 0 ? [concernedId(hook, object, verb), when] : [when]
}

/** Gitea does not name the affected person or milestone, so the current ones distinguish changes. */
function concernedId({ body }: Hook, object: Payload | undefined, verb: string): string | undefined {
  const found = firstObject(body, concernedBy(verb))
  const id = idAt(found?.object, 'id')
  // Teams and people have separate ids.
  if (id !== undefined) return found?.name === 'requested_team' ? `team/${id}` : id
  if (verb.endsWith('assigned')) return idsOf(objectsAt(object, 'assignees'))
  return verb.endsWith('milestoned') ? idAt(objectAt(object, 'milestone'), 'id') : undefined
}

/** @returns undefined if no object has an id */
function idsOf(objects: readonly Payload[]): string | undefined {
  return objects.flatMap(object => idAt(object, 'id') ?? []).join('.') || undefined
}

/** The label, person, milestone … of the action, under the names shared by all platforms. */
function concernedMetadata({ body }: Hook, object: Payload | undefined, verb: string): Record<string, unknown> {
  const found = firstObject(body, concernedBy(verb))
  if (found) return known({ [SHARED_NAMES.get(found.name) ?? found.name]: namedBy(found.object) })
  switch (verb) {
    // Gitea sends the resulting list.
    case 'assigned':
      return known({ assignee: onlyOne(objectsAt(object, 'assignees')) })
    case 'milestoned':
      return known({ milestone: namedBy(objectAt(object, 'milestone')) })
    case 'label_updated':
      return { labels: objectsAt(object, 'labels').flatMap(label => namedBy(label)?.display ?? []) }
    case 'answered':
      return known({ concerned: namedBy(objectAt(objectAt(body, 'answer'), 'user')) })
    default:
      return {}
  }
}

/** @returns undefined for several objects: the affected one is then unknown */
function onlyOne(objects: readonly Payload[]): Named | undefined {
  return objects.length === 1 ? namedBy(objects[0]) : undefined
}

/** The reason for closing, locking or removal from the queue: `not_planned`, `off-topic`, `CI_FAILURE`. */
function reasonOf({ body }: Hook, object: Payload | undefined, verb: string): string | undefined {
  if (verb === 'closed') return textAt(object, 'state_reason')
  if (verb === 'locked') return textAt(object, 'active_lock_reason')
  return textAt(body, 'reason')
}

/** Members with the label, person, milestone or type of an action that occurs once for each of them. */
function concernedBy(verb: string): readonly string[] {
  switch (verb) {
    case 'labeled':
    case 'unlabeled':
      return ['label']
    case 'assigned':
    case 'unassigned':
      return ['assignee']
    case 'milestoned':
    case 'demilestoned':
      return ['milestone']
    case 'typed':
    case 'untyped':
      return ['type']
    case 'review_requested':
    case 'review_request_removed':
      return ['requested_reviewer', 'requested_team']
    default:
      return []
  }
}

const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ['requested_reviewer', 'reviewer'],
  ['requested_team', 'team'],
])

function firstObject(body: Payload, names: readonly string[]): { name: string; object: Payload } | undefined {
  for (const name of names) {
    const object = objectAt(body, name)
    if (object) return { name, object }
  }
  return undefined
}

/** The new place of a transferred object, under a new id. */
function movedTo({ body }: Hook, verb: string): { id?: string; display?: string; url?: string } | undefined {
  if (verb !== 'transferred') return undefined
  const changes = objectAt(body, 'changes')
  const moved = objectAt(changes, 'new_issue') ?? objectAt(changes, 'new_discussion')
  if (!moved) return undefined
  const repository = textAt(objectAt(changes, 'new_repository'), 'full_name') ?? ''
  const number = idAt(moved, 'number')
  const display = number === undefined ? repository : `${repository}#${number}`
  return known({ id: idAt(moved, 'id'), display: display || undefined, url: webUrlAt(moved, 'html_url') })
}
