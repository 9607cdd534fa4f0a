import t from 'tap'
import type { Fixture } from '../adapter-fixtures.js'
import { eventOf, readFixture, readFixtures } from './support.js'

const DELIVERY = /^x-(github|gitea|gogs|forgejo)-delivery$/u

/** Kinds whose payload does not tell one occurrence from the next. */
const TOLD_BY_DELIVERY = new Set([
  'branch.created',
  'difference_engine.turned_twice',
  'installation_repositories.added',
  'label.updated',
  'organization.member_added',
  'star.deleted',
  'tag.deleted',
  'watch.created',
])

/** The same event, through a second hook: of the organisation, or of an app. */
function throughAnotherHook({ headers, body }: Fixture): Omit<Fixture, 'name'> {
  const others = Object.entries(headers).map(([name, value]) => [name, DELIVERY.test(name) ? `other-${value}` : value])
  if (typeof body === 'string') return { headers: Object.fromEntries(others), body }
  const organization = { login: 'lovelace-labs', id: 5150 }
  return { headers: Object.fromEntries(others), body: { organization, installation: { id: 3 }, ...body } }
}

t.test('one event through two hooks has one key', async t => {
  for (const fixture of readFixtures()) {
    const event = eventOf(fixture)
    const noId = event.dedupe_key.includes(':-:')
    if (TOLD_BY_DELIVERY.has(event.kind) || noId) {
      t.not(eventOf(throughAnotherHook(fixture)).dedupe_key, event.dedupe_key, fixture.name)
    } else {
      t.equal(eventOf(throughAnotherHook(fixture)).dedupe_key, event.dedupe_key, fixture.name)
    }
  }
})

t.test('a redelivery, which repeats the id of the delivery, has the same key', async t => {
  for (const fixture of readFixtures()) t.equal(eventOf(fixture).dedupe_key, eventOf(fixture).dedupe_key, fixture.name)
})

t.test('without the id of a delivery, what was sent identifies it', async t => {
  const headers = { 'x-github-event': 'label' }
  const once = eventOf({ headers, body: { action: 'edited', label: { id: 61, color: 'ffffff' } } })
  const again = eventOf({ headers, body: { action: 'edited', label: { id: 61, color: 'ffffff' } } })
  const another = eventOf({ headers, body: { action: 'edited', label: { id: 61, color: '000000' } } })
  t.equal(once.dedupe_key, again.dedupe_key)
  t.not(once.dedupe_key, another.dedupe_key)
  t.match(once.dedupe_key, /^code_a:unknown:label:61:updated:sha256-[0-9a-f]{64}$/u)
})

t.test('nothing that can be renamed is part of a key', async t => {
  for (const fixture of readFixtures()) {
    if (typeof fixture.body === 'string') continue
    const renamed = JSON.parse(
      JSON.stringify(fixture.body)
        .replaceAll('lovelace-labs', 'babbage-works')
        .replaceAll('ghopper', 'amazing-grace')
        .replaceAll('Carry lever sticks at 9', 'Fixed')
        .replaceAll('Spring the carry lever', 'Fixed'),
    ) as Record<string, unknown>
    t.equal(eventOf({ headers: fixture.headers, body: renamed }).dedupe_key, eventOf(fixture).dedupe_key, fixture.name)
  }
})

t.test('equal ids on two hosts are two events', async t => {
  const { headers, body } = readFixture('issue-opened')
  const elsewhere = JSON.parse(JSON.stringify(body).replaceAll('https://github.com', 'https://GHE.example.org:8443'))
  t.equal(eventOf({ headers, body }).dedupe_key, 'code_a:github.com:issue:880012:created')
  t.equal(eventOf({ headers, body: elsewhere }).dedupe_key, 'code_a:ghe.example.org:8443:issue:880012:created')
})

t.test('occurrences are told apart by what the platform gives', async t => {
  const at = (second: number) => `2031-05-04T09:00:0${second}Z`
  const labeled = (id: number, second: number) => ({
    action: 'labeled',
    issue: { id: 5, updated_at: at(second) },
    label: { id },
  })
  const pushed = (sha: string, second = 1) => ({
    action: 'synchronize',
    after: sha,
    pull_request: { id: 6, updated_at: at(second) },
  })
  const asked = (whom: Record<string, unknown>) => ({
    action: 'review_requested',
    pull_request: { id: 6, updated_at: at(1) },
    ...whom,
  })
  const milestone = (action: string) => ({ action, milestone: { id: 8, created_at: at(1), updated_at: at(2) } })
  const blocked = (blocker: number) => ({
    action: 'blocked_by_added',
    blocked_issue: { id: 5, updated_at: at(1) },
    blocking_issue: { id: blocker },
  })
  const closed = (second: number) => ({ action: 'closed', issue: { id: 5, closed_at: at(second), updated_at: at(9) } })
  const run = (conclusion: string, attempt: number) => ({
    action: 'completed',
    workflow_run: { id: 7, conclusion, run_attempt: attempt, updated_at: at(1) },
  })
  const cases: [event: string, one: Record<string, unknown>, other: Record<string, unknown>][] = [
    ['issues', labeled(1, 1), labeled(2, 1)],
    ['issues', labeled(1, 1), labeled(1, 2)],
    ['issues', closed(1), closed(2)],
    ['pull_request', pushed('aa'), pushed('bb')],
    ['pull_request', pushed('aa', 1), pushed('aa', 2)],
    ['pull_request', asked({ requested_reviewer: { id: 4 } }), asked({ requested_team: { id: 4 } })],
    ['milestone', milestone('created'), milestone('opened')],
    ['issue_dependencies', blocked(1), blocked(2)],
    ['workflow_run', run('success', 1), run('failure', 1)],
    ['workflow_run', run('success', 1), run('success', 2)],
    ['push', { ref: 'refs/heads/a', before: '1', after: '2' }, { ref: 'refs/heads/a', before: '2', after: '3' }],
    ['push', { ref: 'refs/heads/a', before: '1', after: '2' }, { ref: 'refs/heads/b', before: '1', after: '2' }],
    ['release', { action: 'published', release: { id: 9 } }, { action: 'released', release: { id: 9 } }],
    [
      'deployment_status',
      { deployment_status: { id: 1, state: 'queued' } },
      { deployment_status: { id: 1, state: 'success' } },
    ],
  ]
  for (const [event, one, other] of cases) {
    const repository = { id: 21, full_name: 'labs/engine' }
    const headers = { 'x-github-event': event, 'x-github-delivery': 'same' }
    const keys = [one, other].map(body => eventOf({ headers, body: { repository, ...body } }).dedupe_key)
    t.not(keys[0], keys[1], `${event}: ${keys.join(' ')}`)
  }
})
