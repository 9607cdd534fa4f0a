import { kindsOf } from '../catalogue.js'
import { mapDeployment, mapDeploymentStatus, mapRun, mapStatus, type RunEvent } from './checks.js'
import { mapCommitComment, mapDiscussionComment, mapIssueComment, mapReviewComment } from './comment.js'
import { ADMINISTRATION } from './described/administration.js'
import { ALERTS } from './described/alerts.js'
import { APPS } from './described/apps.js'
import { ISSUE_RELATIONS } from './described/issue-relations.js'
import { PEOPLE } from './described/people.js'
import { PROJECTS } from './described/projects.js'
import { REQUESTS } from './described/requests.js'
import { mapDescribed, mapGeneric } from './generic.js'
import type { Hook, Mapped } from './hook.js'
import { mapDiscussion, mapIssue } from './issue.js'
import { mapPullRequest, mapReview, mapReviewThread } from './pull-request.js'
import { mapPush, mapRef, mapRelease } from './pushes-and-releases.js'
import { mapFork, mapPackage, mapPageBuild, mapPublic, mapStar, mapWatch, mapWiki } from './repository.js'

/** Maps one native event. */
interface EventMapping {
  /** The kinds produced from documented actions; others yield `<object>.<native word>`. */
  kinds: readonly string[]
  map(hook: Hook): Mapped
}

/** Actions shared by issues and pull requests, on GitHub and the other servers. */
const SHARED_VERBS = [
  'created',
  'updated',
  'closed',
  'reopened',
  'assigned',
  'unassigned',
  'labeled',
  'unlabeled',
  'label_updated',
  'label_cleared',
  'milestoned',
  'demilestoned',
  'locked',
  'unlocked',
] as const

const ISSUE_VERBS = [...SHARED_VERBS, 'deleted', 'transferred', 'pinned', 'unpinned', 'typed', 'untyped'] as const

const PULL_REQUEST_VERBS = [
  ...SHARED_VERBS,
  'merged',
  'review_requested',
  'review_request_removed',
  'ready_for_review',
  'converted_to_draft',
  'auto_merge_enabled',
  'auto_merge_disabled',
  'enqueued',
  'dequeued',
] as const

const DISCUSSION_VERBS = [
  'created',
  'updated',
  'deleted',
  'closed',
  'reopened',
  'answered',
  'unanswered',
  'category_changed',
  'labeled',
  'unlabeled',
  'locked',
  'unlocked',
  'pinned',
  'unpinned',
  'transferred',
] as const

const RELEASE_VERBS = ['created', 'published', 'unpublished', 'prereleased', 'released', 'updated', 'deleted'] as const

const RUN_VERBS: Record<RunEvent, readonly string[]> = {
  check_run: ['created', 'completed', 'rerequested', 'requested_action'],
  check_suite: ['requested', 'rerequested', 'completed'],
  workflow_run: ['requested', 'in_progress', 'completed', 'recovered'],
  workflow_job: ['queued', 'waiting', 'in_progress', 'completed'],
}

/** Events that share the generic code, each with its own description. */
const DESCRIBED_ROWS = [ALERTS, APPS, ISSUE_RELATIONS, PEOPLE, PROJECTS, REQUESTS, ADMINISTRATION]
  .flatMap(events => Object.entries(events))
  .map(([name, { verbs, describe }]): [string, EventMapping] => [
    name,
    { kinds: kindsOf(name, verbs), map: describe ? mapDescribed(describe) : mapGeneric },
  ])

/** Individually mapped native events, by their names in GitHub's terms. */
export const MAPPINGS: ReadonlyMap<string, EventMapping> = new Map<string, EventMapping>([
  ['issues', { kinds: kindsOf('issue', ISSUE_VERBS), map: mapIssue }],
  ['issue_comment', { kinds: kindsOf('comment', ['created', 'updated', 'deleted']), map: mapIssueComment }],
  ['pull_request', { kinds: kindsOf('pull_request', PULL_REQUEST_VERBS), map: mapPullRequest }],
  ['pull_request_review', { kinds: kindsOf('review', ['submitted', 'updated', 'dismissed']), map: mapReview }],
  [
    'pull_request_review_comment',
    { kinds: kindsOf('review_comment', ['created', 'updated', 'deleted']), map: mapReviewComment },
  ],
  ['pull_request_review_thread', { kinds: kindsOf('review_thread', ['resolved', 'unresolved']), map: mapReviewThread }],
  ['push', { kinds: kindsOf('push', ['created', 'deleted']), map: mapPush }],
  ['commit_comment', { kinds: kindsOf('comment', ['created']), map: mapCommitComment }],
  ['create', { kinds: ['branch.created', 'tag.created'], map: mapRef }],
  ['delete', { kinds: ['branch.deleted', 'tag.deleted'], map: mapRef }],
  ['release', { kinds: kindsOf('release', RELEASE_VERBS), map: mapRelease }],
  ['discussion', { kinds: kindsOf('discussion', DISCUSSION_VERBS), map: mapDiscussion }],
  ['discussion_comment', { kinds: kindsOf('comment', ['created', 'updated', 'deleted']), map: mapDiscussionComment }],
  ['check_run', { kinds: kindsOf('check_run', RUN_VERBS.check_run), map: mapRun('check_run') }],
  ['check_suite', { kinds: kindsOf('check_suite', RUN_VERBS.check_suite), map: mapRun('check_suite') }],
  ['workflow_run', { kinds: kindsOf('workflow_run', RUN_VERBS.workflow_run), map: mapRun('workflow_run') }],
  ['workflow_job', { kinds: kindsOf('workflow_job', RUN_VERBS.workflow_job), map: mapRun('workflow_job') }],
  ['status', { kinds: kindsOf('status', ['error', 'failure', 'pending', 'success']), map: mapStatus }],
  ['deployment', { kinds: ['deployment.created'], map: mapDeployment }],
  ['deployment_status', { kinds: ['deployment_status.created'], map: mapDeploymentStatus }],
  ['star', { kinds: kindsOf('star', ['created', 'deleted']), map: mapStar }],
  ['watch', { kinds: ['watch.created'], map: mapWatch }],
  ['fork', { kinds: ['fork.created'], map: mapFork }],
  ['public', { kinds: ['repository.publicized'], map: mapPublic }],
  ['gollum', { kinds: ['wiki.updated'], map: mapWiki }],
  ['page_build', { kinds: ['page.built'], map: mapPageBuild }],
  ['package', { kinds: kindsOf('package', ['created', 'updated', 'deleted']), map: mapPackage }],
  ['registry_package', { kinds: kindsOf('registry_package', ['created', 'updated']), map: mapPackage }],
  ...DESCRIBED_ROWS,
])
