import { kindsOf } from '../catalogue.js'
import { mapEmoji, mapNote } from './comment.js'
import type { Hook, Mapped } from './hook.js'
import { mapIssue, mapMergeRequest, mapWorkItem } from './issue.js'
import { type LifecycleObject, mapLifecycle } from './lifecycle.js'
import { MEMBER_EVENTS, mapMember, mapMemberApproval } from './member.js'
import { mapDeployment, mapJob, mapPipeline } from './pipeline.js'
import { mapExpiringToken, mapFeatureFlag, mapMilestone, mapVulnerability } from './planning.js'
import { mapPush, mapRelease, mapRepositoryUpdate, mapTagPush, mapWikiPage } from './pushes-and-releases.js'
import { mapStar } from './star.js'

/** Maps one native event. */
interface EventMapping {
  /** The kinds produced from documented actions; others yield `<object>.<native word>`. */
  kinds: readonly string[]
  map(hook: Hook): Mapped
}

const TRACKED_VERBS = ['created', 'updated', 'closed', 'reopened'] as const
const MERGE_REQUEST_VERBS = [...TRACKED_VERBS, 'merged', 'approved', 'unapproved', 'approval', 'unapproval'] as const

/** Statuses shared by pipelines and jobs. */
const RUN_STATUSES = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const

const DEPLOYMENT_STATUSES = [
  'created',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'blocked',
  'approved',
  'rejected',
] as const

const LIFECYCLE_EVENTS: readonly [name: string, object: LifecycleObject, verb: string][] = [
  ['project_create', 'repository', 'created'],
  ['project_destroy', 'repository', 'deleted'],
  ['project_rename', 'repository', 'renamed'],
  ['project_transfer', 'repository', 'transferred'],
  ['project_update', 'repository', 'updated'],
  ['group_create', 'group', 'created'],
  ['group_destroy', 'group', 'deleted'],
  ['group_rename', 'group', 'renamed'],
  ['subgroup_create', 'subgroup', 'created'],
  ['subgroup_destroy', 'subgroup', 'deleted'],
  ['user_create', 'user', 'created'],
  ['user_destroy', 'user', 'deleted'],
  ['user_rename', 'user', 'renamed'],
  ['user_failed_login', 'user', 'failed_login'],
  ['key_create', 'key', 'created'],
  ['key_destroy', 'key', 'deleted'],
]

/** Individually mapped native events, by `object_kind` or `event_name`. */
export const MAPPINGS: ReadonlyMap<string, EventMapping> = new Map<string, EventMapping>([
  ['push', { kinds: ['push.created', 'branch.created', 'branch.deleted'], map: mapPush }],
  ['tag_push', { kinds: kindsOf('tag', ['created', 'updated', 'deleted']), map: mapTagPush }],
  ['repository_update', { kinds: ['repository.updated'], map: mapRepositoryUpdate }],
  ['issue', { kinds: kindsOf('issue', TRACKED_VERBS), map: mapIssue }],
  ['work_item', { kinds: kindsOf('work_item', TRACKED_VERBS), map: mapWorkItem }],
  ['merge_request', { kinds: kindsOf('pull_request', MERGE_REQUEST_VERBS), map: mapMergeRequest }],
  [
    'note',
    {
      kinds: [...kindsOf('comment', ['created', 'updated']), ...kindsOf('review_comment', ['created', 'updated'])],
      map: mapNote,
    },
  ],
  ['emoji', { kinds: kindsOf('reaction', ['added', 'removed']), map: mapEmoji }],
  ['wiki_page', { kinds: kindsOf('wiki_page', ['created', 'updated', 'deleted']), map: mapWikiPage }],
  ['pipeline', { kinds: kindsOf('pipeline', RUN_STATUSES), map: mapPipeline }],
  ['build', { kinds: kindsOf('job', RUN_STATUSES), map: mapJob }],
  ['deployment', { kinds: kindsOf('deployment', DEPLOYMENT_STATUSES), map: mapDeployment }],
  ['release', { kinds: kindsOf('release', ['created', 'updated', 'deleted']), map: mapRelease }],
  ['star', { kinds: ['star.created'], map: mapStar }],
  ['feature_flag', { kinds: kindsOf('feature_flag', ['enabled', 'disabled']), map: mapFeatureFlag }],
  ['milestone', { kinds: kindsOf('milestone', ['created', 'closed', 'reopened', 'deleted']), map: mapMilestone }],
  [
    'vulnerability',
    {
      kinds: kindsOf('vulnerability', ['detected', 'confirmed', 'resolved', 'dismissed']),
      map: mapVulnerability,
    },
  ],
  ['access_token', { kinds: ['access_token.expiring'], map: mapExpiringToken('access_token') }],
  ['deploy_token', { kinds: ['deploy_token.expiring'], map: mapExpiringToken('deploy_token') }],
  ['gitlab_subscription_member_approval', { kinds: ['member_approval.enqueued'], map: mapMemberApproval }],
  [
    'gitlab_subscription_member_approvals',
    { kinds: kindsOf('member_approval', ['approved', 'denied']), map: mapMemberApproval },
  ],
  ...[...MEMBER_EVENTS].map(([name, verb]): [string, EventMapping] => [
    name,
    { kinds: [`member.${verb}`], map: mapMember(verb) },
  ]),
  ...LIFECYCLE_EVENTS.map(([name, object, verb]): [string, EventMapping] => [
    name,
    { kinds: [`${object}.${verb}`], map: mapLifecycle(object, verb) },
  ]),
])
