/** Sentences for kinds that the table lacks, in words that are true of any kind. */
import { plainWords, textOf } from './event-names.js'

/** Participles of verbs that one thing does to another. */
const PARTICIPLES: Readonly<Record<string, string>> = {
  updated: 'changed',
  edited: 'changed',
  labeled: 'labelled',
  enabled: 'switched on',
  disabled: 'switched off',
  publicized: 'made public',
  privatized: 'made private',
  auto_dismissed: 'automatically dismissed',
  auto_reopened: 'automatically reopened',
  reopened_by_user: 'reopened',
  closed_by_user: 'closed',
  canceled: 'cancelled',
}
const SAME_PARTICIPLES = [
  ...['accepted', 'added', 'answered', 'approved', 'archived', 'assigned', 'blocked', 'cancelled', 'changed', 'closed'],
  ...[
    'completed',
    'finished',
    'started',
    'confirmed',
    'converted',
    'created',
    'customized',
    'deleted',
    'denied',
    'dismissed',
    'dispatched',
    'enqueued',
  ],
  ...['dequeued', 'fixed', 'granted', 'imported', 'invited', 'locked', 'merged', 'moved', 'pinned', 'promoted'],
  ...['published', 'purchased', 'rejected', 'released', 'removed', 'renamed', 'reordered', 'reopened', 'reported'],
  ...['requested', 'resolved', 'restored', 'reviewed', 'revoked', 'scheduled', 'submitted', 'suspended', 'transferred'],
  ...['unarchived', 'unassigned', 'unblocked', 'unlocked', 'unpinned', 'unpublished', 'unsuspended', 'validated'],
  ...['withdrawn', 'destroyed', 'triggered', 'reintroduced'],
]

/** Object types whose name has capital letters, or is not the type itself. */
const NOUNS: Readonly<Record<string, string>> = {
  dependabot_alert: 'Dependabot alert',
  github_app_authorization: 'GitHub App authorization',
  gitlab_subscription_member_approval: 'member approval',
  org_block: 'block',
  projects_v2: 'project',
  projects_v2_item: 'project item',
  projects_v2_status_update: 'project status',
  sub_issues: 'sub-issue',
}

/** Templates for a known verb; empty for others. */
export function commonTemplates(type: string, verb: string): string[] {
  const done = Object.hasOwn(PARTICIPLES, verb) ? PARTICIPLES[verb] : SAME_PARTICIPLES.find(each => each === verb)
  if (done === undefined || type === '') return []
  return [`${done} ~${nounOf(type)}`]
}

/** Templates for any event: its own words in sequence, which are never wrong. */
export function plainTemplates(event: unknown): string[] {
  const type = textOf(event, 'action', 'object_type')
  const verb = textOf(event, 'action', 'verb')
  // Adapters write `received` if the platform names a thing without saying what happened to it.
  const words = [nounOf(type), verb === 'received' ? '' : plainWords(verb)].filter(each => each !== '').join(' ')
  const what = words.replaceAll(/[{}]/g, '') || 'event'
  const capital = what.charAt(0).toUpperCase() + what.slice(1)
  return [`{actor} · ${what} · {place}`, `${capital} · {place}`, `{actor} · ${what}`, capital]
}

function nounOf(type: string): string {
  return (Object.hasOwn(NOUNS, type) ? NOUNS[type] : undefined) ?? plainWords(type)
}
