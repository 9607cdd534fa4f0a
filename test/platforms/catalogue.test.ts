import t from 'tap'
import { parseTarget } from '../../src/model/subscriptions/scope-key.js'
import { listPlatforms } from '../../src/platforms/adapters.js'
import { eventOf, readFixtures } from './code-a/support.js'

/** Actions of a request to bypass a rule. */
const REQUEST = ['created', 'completed', 'cancelled', 'response_submitted', 'response_dismissed']

/** Every action that GitHub documents for the events that are understood one by one, and those of its dialects. */
const DOCUMENTED: Record<string, string[]> = {
  issues: [
    'opened',
    'edited',
    'deleted',
    'transferred',
    'pinned',
    'unpinned',
    'closed',
    'reopened',
    'assigned',
    'unassigned',
    'labeled',
    'unlabeled',
    'milestoned',
    'demilestoned',
    'locked',
    'unlocked',
    'typed',
    'untyped',
    'label_updated',
    'label_cleared',
  ],
  issue_comment: ['created', 'edited', 'deleted'],
  pull_request: [
    'opened',
    'edited',
    'closed',
    'reopened',
    'synchronize',
    'synchronized',
    'assigned',
    'unassigned',
    'labeled',
    'unlabeled',
    'milestoned',
    'demilestoned',
    'locked',
    'unlocked',
    'review_requested',
    'review_request_removed',
    'ready_for_review',
    'converted_to_draft',
    'auto_merge_enabled',
    'auto_merge_disabled',
    'enqueued',
    'dequeued',
    'label_updated',
    'label_cleared',
  ],
  pull_request_review: ['submitted', 'edited', 'dismissed', 'reviewed'],
  pull_request_review_comment: ['created', 'edited', 'deleted'],
  pull_request_review_thread: ['resolved', 'unresolved'],
  commit_comment: ['created'],
  release: ['created', 'edited', 'updated', 'deleted', 'published', 'unpublished', 'prereleased', 'released'],
  discussion: [
    'created',
    'edited',
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
  ],
  discussion_comment: ['created', 'edited', 'deleted'],
  check_run: ['created', 'completed', 'rerequested', 'requested_action'],
  check_suite: ['requested', 'rerequested', 'completed'],
  workflow_run: ['requested', 'in_progress', 'completed'],
  workflow_job: ['queued', 'waiting', 'in_progress', 'completed'],
  deployment: ['created'],
  deployment_status: ['created'],
  star: ['created', 'deleted'],
  watch: ['started'],
  package: ['published', 'updated', 'created', 'deleted'],
  registry_package: ['published', 'updated'],
  dependabot_alert: [
    'created',
    'dismissed',
    'fixed',
    'reintroduced',
    'reopened',
    'auto_dismissed',
    'auto_reopened',
    'assignees_changed',
  ],
  code_scanning_alert: [
    'created',
    'fixed',
    'reopened',
    'reopened_by_user',
    'closed_by_user',
    'appeared_in_branch',
    'updated_assignment',
  ],
  secret_scanning_alert: [
    'created',
    'resolved',
    'reopened',
    'revoked',
    'validated',
    'publicly_leaked',
    'assigned',
    'unassigned',
  ],
  secret_scanning_alert_location: ['created'],
  secret_scanning_scan: ['completed'],
  repository_vulnerability_alert: ['create', 'dismiss', 'reopen', 'resolve'],
  repository_advisory: ['published', 'reported'],
  security_advisory: ['published', 'updated', 'withdrawn', 'performed'],
  organization: ['deleted', 'renamed', 'member_added', 'member_removed', 'member_invited'],
  membership: ['added', 'removed'],
  member: ['added', 'edited', 'removed'],
  org_block: ['blocked', 'unblocked'],
  team: ['created', 'edited', 'deleted', 'added_to_repository', 'removed_from_repository'],
  installation: ['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'],
  installation_repositories: ['added', 'removed'],
  installation_target: ['renamed'],
  github_app_authorization: ['revoked'],
  sponsorship: ['created', 'edited', 'cancelled', 'tier_changed', 'pending_cancellation', 'pending_tier_change'],
  marketplace_purchase: ['purchased', 'cancelled', 'changed', 'pending_change', 'pending_change_cancelled'],
  personal_access_token_request: ['created', 'approved', 'denied', 'cancelled'],
  meta: ['deleted'],
  project: ['created', 'edited', 'closed', 'reopened', 'deleted'],
  project_card: ['created', 'edited', 'converted', 'moved', 'deleted'],
  project_column: ['created', 'edited', 'moved', 'deleted'],
  projects_v2: ['created', 'edited', 'closed', 'reopened', 'deleted'],
  projects_v2_item: ['created', 'edited', 'archived', 'restored', 'converted', 'reordered', 'deleted'],
  projects_v2_status_update: ['created', 'edited', 'deleted'],
  custom_property: ['created', 'updated', 'deleted', 'promote_to_enterprise'],
  custom_property_promoted_to_enterprise: ['promote_to_enterprise'],
  custom_property_values: ['updated'],
  repository: [
    'created',
    'edited',
    'deleted',
    'renamed',
    'transferred',
    'archived',
    'unarchived',
    'privatized',
    'publicized',
  ],
  repository_ruleset: ['created', 'edited', 'deleted'],
  branch_protection_rule: ['created', 'edited', 'deleted'],
  branch_protection_configuration: ['enabled', 'disabled'],
  deploy_key: ['created', 'deleted'],
  label: ['created', 'edited', 'deleted'],
  milestone: ['created', 'edited', 'closed', 'opened', 'deleted'],
  merge_group: ['checks_requested', 'destroyed'],
  deployment_protection_rule: ['requested'],
  deployment_review: ['requested', 'approved', 'rejected'],
  sub_issues: ['sub_issue_added', 'sub_issue_removed', 'parent_issue_added', 'parent_issue_removed'],
  issue_dependencies: ['blocked_by_added', 'blocked_by_removed', 'blocking_added', 'blocking_removed'],
  wiki: ['created', 'edited', 'deleted'],
  schedule: ['schedule'],
  bypass_request_push_ruleset: REQUEST,
  bypass_request_secret_scanning: REQUEST,
  dismissal_request_code_scanning: REQUEST,
  dismissal_request_dependabot: REQUEST,
  dismissal_request_secret_scanning: REQUEST,
  exemption_request_push_ruleset: REQUEST,
  exemption_request_secret_scanning: REQUEST,
}

/** Events without an action, with what decides their kind. */
const ACTIONLESS: [event: string, body: Record<string, unknown>][] = [
  ['push', { after: 'ab' }],
  ['push', { deleted: true }],
  ['create', { ref_type: 'branch' }],
  ['create', { ref_type: 'tag' }],
  ['delete', { ref_type: 'branch' }],
  ['delete', { ref_type: 'tag' }],
  ['fork', {}],
  ['public', {}],
  ['gollum', {}],
  ['page_build', {}],
  ['deployment', {}],
  ['deployment_status', {}],
  ['status', { state: 'success' }],
  ['status', { state: 'failure' }],
  ['status', { state: 'error' }],
  ['status', { state: 'pending' }],
  ['pull_request', { action: 'closed', pull_request: { merged: true } }],
  ['action_run_recover', { action: 'recover' }],
  ['team_add', {}],
  ['security_and_analysis', {}],
  ['workflow_dispatch', {}],
  ['repository_import', { status: 'success' }],
  ['repository_import', { status: 'failure' }],
  ['repository_import', { status: 'cancelled' }],
]

t.test('the catalogue lists the four platforms', async t => {
  const platforms = listPlatforms()
  t.strictSame(
    platforms.map(({ source, webhook_path }) => [source, webhook_path]),
    ['chat', 'forum', 'code_a', 'code_b'].map(source => [source, `/webhooks/${source}`]),
  )
  for (const platform of platforms) {
    t.ok(platform.display_name && platform.verification.endsWith('.'), platform.source)
    t.ok(platform.capture_modes.includes('webhook'))
    t.ok(platform.scope_types.length > 0)
  }
})

t.test('every example of the target grammar is valid, and has a scope type of its platform', async t => {
  for (const { source, target_grammar, scope_types } of listPlatforms()) {
    t.ok(target_grammar.length > 0, source)
    for (const { example } of target_grammar) {
      t.ok(scope_types.includes(parseTarget(source, example).scope.type ?? ''), `${source} ${example}`)
    }
  }
})

t.test('every kind that code_a makes by name is in its catalogue', async t => {
  const catalogue = listPlatforms().find(({ source }) => source === 'code_a')
  const kinds = new Set(catalogue?.kinds)
  const made = new Set<string>()
  const check = (event: string, body: Record<string, unknown>) => {
    const { kind } = eventOf({ headers: { 'x-github-event': event }, body })
    made.add(kind)
    t.ok(kinds.has(kind), `${kind}, from ${event} ${JSON.stringify(body)}`)
  }
  for (const [event, actions] of Object.entries(DOCUMENTED)) for (const action of actions) check(event, { action })
  for (const [event, body] of ACTIONLESS) check(event, body)
  for (const fixture of readFixtures()) {
    const { kind } = eventOf(fixture)
    if (!fixture.name.startsWith('generic-')) t.ok(kinds.has(kind), `${kind}, from ${fixture.name}`)
  }
  t.ok(kinds.delete('*'), 'any other event is stored generically')
  t.strictSame([...kinds].sort(), [...made].sort(), 'and it lists no kind that nothing makes')
})

t.test('the actions of a platform give the object type and the verb of each kind', async t => {
  for (const { kinds, actions } of listPlatforms()) {
    t.strictSame(
      actions.map(({ kind }) => kind),
      kinds.filter(kind => kind !== '*'),
    )
    for (const { kind, object_type, verb } of actions) t.equal(kind, `${object_type}.${verb}`)
  }
})
