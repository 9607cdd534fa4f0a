/** Events about topics as a whole, from the forum itself and from its assignment and voting plugins. */
import { idAt, instantAt, known, memberOf, numberAt, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { conversationOf, deletionOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, verbOf } from './hook.js'
import { describe, type Person, personAt } from './person.js'
import { categoryNode, topicAround, topicNode } from './target-nodes.js'

const STATUS_UPDATED = /^(\w+)_status_updated$/u

export function mapTopic(hook: Hook): Mapped {
  const topic = hook.object
  const native = verbOf(hook, 'topic')
  const [, status] = STATUS_UPDATED.exec(native) ?? []
  const verb = status === undefined ? native : statusVerb(topic, status)
  const id = idAt(topic, 'id')
  const author = creatorOf(topic)
  const target = topicNode(hook, {
    id,
    title: textAt(topic, 'title') ?? textAt(topic, 'fancy_title'),
    slug: textAt(topic, 'slug'),
    archetype: textAt(topic, 'archetype'),
    author,
    parent: categoryNode(hook, { id: idAt(topic, 'category_id') }),
  })
  return {
    objectType: 'topic',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' ? 'once' : verb === 'deleted' ? deletionOf(topic) : IDENTIFIED_BY_BODY,
    occurredAt: topicTime(topic, verb),
    target,
    conversation: conversationOf(target),
    actor: verb === 'created' ? author : verb === 'deleted' ? personAt(topic, 'deleted_by') : undefined,
    metadata: status === undefined ? {} : statusMetadata(topic, status),
  }
}

/** `assigned` and `unassigned`: a person became responsible for a topic, or no longer is. */
export function mapAssignment(hook: Hook): Mapped {
  const assignment = hook.object
  const verb = verbOf(hook, 'assign')
  const to = `${verb}_to`
  const group = { id: idAt(assignment, `${to}_group_id`), display: textAt(assignment, `${to}_group_name`) }
  return {
    ...aboutTopic(hook, assignment),
    objectType: 'assign',
    verb,
    actor: personAt(assignment, `${verb}_by`),
    metadata: known({
      assignee: describe(personAt(assignment, to)),
      assigned_group: group.id === undefined ? undefined : known(group),
    }),
  }
}

/** `topic_upvote` and `topic_unvote`. */
export function mapVote(hook: Hook): Mapped {
  return {
    ...aboutTopic(hook, hook.object),
    objectType: 'topic_voting',
    verb: verbOf(hook, 'topic_voting'),
    actor: personAt(hook.object, 'voter'),
    metadata: known({ vote_count: numberAt(hook.object, 'vote_count') }),
  }
}

function aboutTopic(hook: Hook, inside: Payload | undefined): Omit<Mapped, 'objectType' | 'verb'> {
  const id = idAt(inside, 'topic_id')
  const target = topicAround(hook, inside)
  return {
    subjectId: id,
    identity: id,
    occurrence: IDENTIFIED_BY_BODY,
    occurredAt: undefined,
    target,
    conversation: conversationOf(target),
  }
}

function statusVerb(topic: Payload | undefined, status: string): string {
  const closed = memberOf(topic, 'closed')
  if (memberOfStatus(status) !== 'closed' || typeof closed !== 'boolean') return `${status}_changed`
  return closed ? 'closed' : 'reopened'
}

function statusMetadata(topic: Payload | undefined, status: string): Record<string, unknown> {
  const value = memberOf(topic, memberOfStatus(status))
  return { status, ...known({ value: typeof value === 'boolean' ? value : undefined }) }
}

/** A timer closes a topic in the same way as a person. */
function memberOfStatus(status: string): string {
  return status === 'autoclosed' ? 'closed' : status
}

function topicTime(topic: Payload | undefined, verb: string): string | undefined {
  if (verb === 'created') return instantAt(topic, 'created_at')
  return verb === 'deleted' ? instantAt(topic, 'deleted_at') : undefined
}

/** The creator, whom older forums put into the details. */
function creatorOf(topic: Payload | undefined): Person | undefined {
  return personAt(topic, 'created_by') ?? personAt(objectAt(topic, 'details'), 'created_by') ?? personAt(topic, 'user')
}
