/** Issues, pull requests and discussions live the same life: opened, changed, labelled, closed, moved elsewhere. */
import type { TargetNode } from '../../model/event.js'
import type { Occurrence } from '../mapped-event.js'
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
} from '../payload.js'
import { conversationOf } from './conversation.js'
import type { Hook, Mapped } from './hook.js'
import { loginOf } from './nodes.js'

interface Tracked {
  objectType: 'issue' | 'pull_request' | 'discussion'
  object: Payload | undefined
  verb: string
  target: TargetNode
}

export function mapTracked(hook: Hook, { objectType, object, verb, target }: Tracked): Mapped {
  const id = idAt(object, 'id')
  return {
    objectType,
    verb,
    subjectId: id,
    identity: id,
    occurrence: trackedOccurrence(hook, object, verb),
    occurredAt: trackedTime(object, verb),
    target,
    conversation: conversationOf(hook, target, { text: textAt(object, 'body') }),
    written: object,
    metadata: { ...concernedMetadata(hook, verb), ...known({ moved_to: movedTo(hook, verb) }) },
  }
}

/** The time of this action, never that of another: a deletion has none. */
function trackedTime(object: Payload | undefined, verb: string): string | undefined {
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

function trackedOccurrence(hook: Hook, object: Payload | undefined, verb: string): Occurrence {
  if (verb === 'created' || verb === 'deleted' || verb === 'merged') return 'once'
  const when = trackedTime(object, verb)
  const moved = movedTo(hook, verb)
  if (moved) return [moved.id]
  return concernedBy(verb).length > 0 ? [concernedId(hook, object, verb), when] : [when]
}

/** Gitea does not name the person or milestone; who and which it is now then tells one change from the next. */
function concernedId({ body }: Hook, object: Payload | undefined, verb: string): string | undefined {
  const found = firstObject(body, concernedBy(verb))
  const id = idAt(found?.object, 'id')
  // Teams and people are counted apart.
  if (id !== undefined) return found?.name === 'requested_team' ? `team/${id}` : id
  if (verb.endsWith('assigned')) return idsOf(objectsAt(object, 'assignees'))
  return verb.endsWith('milestoned') ? idAt(objectAt(object, 'milestone'), 'id') : undefined
}

/** @returns nothing where none of them tells one */
function idsOf(objects: readonly Payload[]): string | undefined {
  return objects.flatMap(object => idAt(object, 'id') ?? []).join('.') || undefined
}

/** What the action was about besides the object itself. */
function concernedMetadata({ body }: Hook, verb: string): Record<string, unknown> {
  const found = firstObject(body, concernedBy(verb))
  if (!found) return {}
  const { name, object } = found
  const display = loginOf(object) ?? textAt(object, 'name') ?? textAt(object, 'title')
  return { [name]: known({ id: idAt(object, 'id'), display }) }
}

/** Members that name the label, person, milestone or type of an action that happens once for each of them. */
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

function firstObject(body: Payload, names: readonly string[]): { name: string; object: Payload } | undefined {
  for (const name of names) {
    const object = objectAt(body, name)
    if (object) return { name, object }
  }
  return undefined
}

/** Where a transferred object lives on, under a new id. */
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
