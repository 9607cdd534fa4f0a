/**
 * The deliveries that webhooks would have sent for the items of GitLab's REST API. Webhooks use other names for some
 * members: the address is `url`, the author `author_id`, and the text of a note `note`.
 */
import { idOf, type PastDelivery, timeOf, UnusableItem } from '../../history/item-events.js'
import { idAt, instantAt, isTrue, known, memberOf, objectAt, type Payload, textAt } from '../../mapping/payload.js'

export interface Project {
  /** As webhooks send it. */
  payload: Payload
  /** Address of the instance, as its webhooks send it. */
  instance: string
  /** RFC 3339 in UTC, six digits. */
  since: string
}

/** Webhooks send tasks, incidents and other types of issues as work items. */
export function issueDeliveries(project: Project, issue: Payload): PastDelivery[] {
  idOf(issue)
  if (timeOf(issue, 'created_at') < project.since) return []
  const { kind, type } = kindOf(issue)
  const object_attributes = { ...attributesOf(issue), type, action: 'open' }
  return [delivery(project, kind, { user: memberOf(issue, 'author'), object_attributes })]
}

/** Merging happens once. The time of the last change identifies a closing, and the list does not show it. */
export function mergeRequestDeliveries(project: Project, merge: Payload): PastDelivery[] {
  idOf(merge)
  const mergedAt = textAt(merge, 'state') === 'merged' ? instantAt(merge, 'merged_at') : undefined
  const merger = objectAt(merge, 'merge_user') ?? objectAt(merge, 'merged_by')
  const happened = [
    { at: timeOf(merge, 'created_at'), action: 'open', user: objectAt(merge, 'author') },
    ...(mergedAt === undefined ? [] : [{ at: mergedAt, action: 'merge', user: merger }]),
  ]
  return happened
    .filter(({ at }) => at >= project.since)
    .map(({ at, action, user }) => {
      const object_attributes = { ...mergeAttributesOf(merge), action }
      return delivery(project, 'merge_request', { user, object_attributes }, at)
    })
}

export type NotedObject = 'issue' | 'merge_request'

/** Webhooks do not send notes that the platform itself writes. */
export function noteDeliveries(project: Project, noteable: NotedObject, of: Payload, note: Payload): PastDelivery[] {
  if (isTrue(note, 'system')) return []
  const id = idOf(note)
  if (timeOf(note, 'created_at') < project.since) return []
  const page = textAt(of, 'web_url')
  const object_attributes = known({
    ...note,
    note: memberOf(note, 'body'),
    author_id: memberOf(objectAt(note, 'author'), 'id'),
    url: page === undefined ? undefined : `${page}#note_${id}`,
    action: 'create',
  })
  const isWorkItem = noteable === 'issue' && kindOf(of).kind === 'work_item'
  const subject = noteable === 'issue' ? { ...attributesOf(of), type: kindOf(of).type } : mergeAttributesOf(of)
  const about = { [isWorkItem ? 'work_item' : noteable]: subject }
  return [delivery(project, 'note', { user: memberOf(note, 'author'), object_attributes, ...about })]
}

export function starDeliveries(project: Project, star: Payload): PastDelivery[] {
  const user = objectAt(star, 'user')
  if (idAt(user, 'id') === undefined) throw new UnusableItem('it has no user')
  if (timeOf(star, 'starred_since') < project.since) return []
  const object_attributes = { starred_since: memberOf(star, 'starred_since'), action: 'create' }
  return [delivery(project, 'star', { user, object_attributes })]
}

function kindOf(issue: Payload): { kind: 'issue' | 'work_item'; type: string } {
  const type = (textAt(issue, 'issue_type') ?? 'issue').toLowerCase()
  const words = type.split('_').join(' ')
  return { kind: type === 'issue' ? 'issue' : 'work_item', type: words.charAt(0).toUpperCase() + words.slice(1) }
}

function attributesOf(object: Payload): Payload {
  return known({
    ...object,
    author_id: memberOf(objectAt(object, 'author'), 'id'),
    url: memberOf(object, 'web_url'),
  })
}

function mergeAttributesOf(merge: Payload): Payload {
  const sha = idAt(merge, 'sha')
  return { ...attributesOf(merge), ...(sha === undefined ? {} : { last_commit: { id: sha } }) }
}

function delivery(
  { payload: project, instance }: Project,
  kind: string,
  members: Record<string, unknown>,
  occurredAt?: string,
): PastDelivery {
  const headers = { 'x-gitlab-event': HEADERS[kind] ?? kind, 'x-gitlab-instance': instance }
  const body = known({ object_kind: kind, event_type: kind, project, project_id: memberOf(project, 'id'), ...members })
  return { headers, body, occurredAt }
}

const HEADERS: Readonly<Record<string, string>> = {
  issue: 'Issue Hook',
  work_item: 'Issue Hook',
  merge_request: 'Merge Request Hook',
  note: 'Note Hook',
}
