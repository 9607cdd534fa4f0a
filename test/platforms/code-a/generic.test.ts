import t from 'tap'
import { eventOf } from './support.js'

const REPOSITORY = { id: 21, full_name: 'labs/engine', html_url: 'https://github.com/labs/engine' }

function made(event: string, body: Record<string, unknown>) {
  return eventOf({ headers: { 'x-github-event': event }, body: { repository: REPOSITORY, ...body } })
}

t.test('an event about the object of another event has the id of that object, and not its time', async t => {
  const changed = { updated_at: '2031-05-04T09:00:00Z' }
  const cases: [event: string, body: Record<string, unknown>][] = [
    ['deployment_protection_rule', { action: 'requested', deployment: { id: 5, ...changed } }],
    ['deployment_review', { action: 'approved', workflow_run: { id: 5, ...changed } }],
    ['installation_repositories', { action: 'removed', installation: { id: 5, ...changed } }],
    ['github_app_authorization', { action: 'revoked', sender: { id: 5, ...changed } }],
  ]
  for (const [event, body] of cases) t.match(made(event, body), { subject_id: '5', occurred_at: null }, event)
})

t.test('an object without an id is identified by its commit or account', async t => {
  const group = made('merge_group', { action: 'checks_requested', merge_group: { head_sha: 'ab12' } })
  t.match(group, { subject_id: 'ab12', target: { key: 'merge_group:ab12' } })
  const purchase = made('marketplace_purchase', { action: 'changed', marketplace_purchase: { account: { id: 9 } } })
  t.equal(purchase.subject_id, '9')
})

t.test('events without an action get a verb from their type or status', async t => {
  t.equal(made('team_add', { team: { id: 5 } }).kind, 'team_add.added')
  t.equal(made('security_and_analysis', { changes: {} }).kind, 'security_and_analysis.updated')
  t.equal(made('workflow_dispatch', { inputs: {} }).kind, 'workflow_dispatch.created')
  t.equal(made('repository_import', { status: 'failure' }).kind, 'repository_import.failure')
  t.equal(made('something_new', { status: 'failure' }).kind, 'something_new.received')
})

t.test('actions in the present tense become past tense, with their own time', async t => {
  const at = '2031-05-04T09:00:00Z'
  const cases: [event: string, body: Record<string, unknown>, kind: string][] = [
    ['installation', { action: 'suspend', installation: { id: 5, suspended_at: at } }, 'installation.suspended'],
    [
      'repository_vulnerability_alert',
      { action: 'dismiss', alert: { id: 5, dismissed_at: at } },
      'repository_vulnerability_alert.dismissed',
    ],
    [
      'code_scanning_alert',
      { action: 'closed_by_user', alert: { number: 5, dismissed_at: at } },
      'code_scanning_alert.closed_by_user',
    ],
    ['secret_scanning_scan', { action: 'completed', completed_at: at }, 'secret_scanning_scan.completed'],
  ]
  for (const [event, body, kind] of cases) {
    t.match(made(event, body), { kind, occurred_at: '2031-05-04T09:00:00.000000Z' }, event)
  }
})
