import t from 'tap'
import { listPlatforms } from '../../../src/platforms/adapters.js'
import { codeB } from '../../../src/platforms/code-b/adapter.js'
import { eventOf, INSTANCE, readFixtures } from './support.js'

/** Every action that is documented for the events that have one. */
const ACTIONS: Record<string, string[]> = {
  issue: ['open', 'close', 'reopen', 'update'],
  work_item: ['open', 'close', 'reopen', 'update'],
  merge_request: ['open', 'close', 'reopen', 'update', 'approved', 'unapproved', 'approval', 'unapproval', 'merge'],
  note: ['create', 'update'],
  emoji: ['award', 'revoke'],
  wiki_page: ['create', 'update', 'delete'],
  milestone: ['create', 'close', 'reopen', 'delete'],
  release: ['create', 'update', 'delete'],
}

const STATUSES = [
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
]
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
]

const NAMED_EVENTS = [
  'group_create',
  'group_destroy',
  'group_rename',
  'subgroup_create',
  'subgroup_destroy',
  'key_create',
  'key_destroy',
  'project_create',
  'project_destroy',
  'project_rename',
  'project_transfer',
  'project_update',
  'repository_update',
  'user_access_request_denied_for_group',
  'user_access_request_denied_for_project',
  'user_access_request_revoked_for_group',
  'user_access_request_revoked_for_project',
  'user_access_request_to_group',
  'user_access_request_to_project',
  'user_add_to_group',
  'user_add_to_team',
  'user_create',
  'user_destroy',
  'user_failed_login',
  'user_remove_from_group',
  'user_remove_from_team',
  'user_rename',
  'user_update_for_group',
  'user_update_for_team',
]

const ZEROS = '0'.repeat(40)
const SHA = 'c'.repeat(40)

/** Members other than an action or a status that determine the kind. */
const OTHERS: Record<string, unknown>[] = [
  { object_kind: 'push', before: SHA, after: SHA },
  { object_kind: 'push', before: ZEROS, after: SHA },
  { object_kind: 'push', before: SHA, after: ZEROS },
  { object_kind: 'tag_push', before: ZEROS, after: SHA },
  { object_kind: 'tag_push', before: SHA, after: SHA },
  { object_kind: 'tag_push', before: SHA, after: ZEROS },
  { object_kind: 'feature_flag', object_attributes: { active: true } },
  { object_kind: 'feature_flag', object_attributes: { active: false } },
  { object_kind: 'access_token', event_name: 'expiring_access_token' },
  { object_kind: 'deploy_token', event_name: 'expiring_deploy_token' },
  // Only history creates these.
  { object_kind: 'star', object_attributes: { action: 'create' } },
  ...['create', 'update'].map(action => ({
    object_kind: 'note',
    merge_request: { id: 1 },
    object_attributes: { type: 'DiffNote', action },
  })),
  ...['detected', 'confirmed', 'resolved', 'dismissed'].map(state => ({
    object_kind: 'vulnerability',
    object_attributes: { state },
  })),
]

t.test('the catalogue has exactly the kinds that code_b names', async t => {
  t.ok(listPlatforms().includes(codeB.catalogue))
  const bodies = [
    ...Object.entries(ACTIONS).flatMap(([object_kind, actions]) =>
      actions.map(action => ({ object_kind, object_attributes: { action } })),
    ),
    ...STATUSES.map(status => ({ object_kind: 'pipeline', object_attributes: { status } })),
    ...STATUSES.map(status => ({ object_kind: 'build', build_status: status })),
    ...DEPLOYMENT_STATUSES.map(status => ({ object_kind: 'deployment', status })),
    ...NAMED_EVENTS.map(event_name => ({ event_name })),
    { object_kind: 'gitlab_subscription_member_approval', action: 'enqueue' },
    { object_kind: 'gitlab_subscription_member_approvals', action: 'approve' },
    { object_kind: 'gitlab_subscription_member_approvals', action: 'deny' },
    ...OTHERS,
  ]
  const made = new Set(bodies.map(body => eventOf({ headers: INSTANCE, body }).kind))
  const kinds = new Set(codeB.catalogue.kinds)
  for (const fixture of readFixtures()) {
    if (!fixture.name.startsWith('generic-')) t.ok(made.has(eventOf(fixture).kind), fixture.name)
  }
  t.ok(kinds.delete('*'), 'any other event is stored generically')
  t.strictSame([...made].sort(), [...kinds].sort())
})

t.test('an unknown event keeps its own terms', async t => {
  const cases: [body: Record<string, unknown>, kind: string][] = [
    [{ object_kind: 'archive_trace', build_id: 5 }, 'archive_trace.received'],
    [{ event_name: 'group_archive' }, 'group_archive.received'],
    [{ object_kind: 'project', action: 'Größer!' }, 'repository.größer'],
  ]
  for (const [body, kind] of cases) {
    const event = eventOf({ headers: INSTANCE, body })
    t.equal(event.kind, kind)
    t.equal(event.action.metadata.native_event, body.object_kind ?? body.event_name)
  }
})
