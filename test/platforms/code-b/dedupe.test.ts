import t from 'tap'
import { type Fixture, jsonOf, type Sent } from '../adapter-fixtures.js'
import { eventOf, INSTANCE, readFixture, readFixtures } from './support.js'

/** Kinds whose payload does not distinguish one occurrence from the next. */
const KEYED_BY_DELIVERY = new Set(['alert.received', 'feature_flag.enabled', 'issue.received', 'user.failed_login'])

function isKeyedByDelivery({ name }: Fixture): boolean {
  const { kind } = eventOf(readFixture(name))
  return KEYED_BY_DELIVERY.has(kind) || /member-approval/.test(name) || name === 'wiki-page-deleted'
}

/** The same event, through the hook of a group: another delivery, but the same request. */
function throughAnotherHook({ headers, body }: Fixture): Sent {
  return { headers: { ...headers, 'idempotency-key': 'other', 'x-gitlab-webhook-uuid': 'other' }, body }
}

t.test('an event that two hooks deliver has one key', async t => {
  for (const fixture of readFixtures()) {
    const [one, other] = [eventOf(fixture).dedupe_key, eventOf(throughAnotherHook(fixture)).dedupe_key]
    if (isKeyedByDelivery(fixture)) t.not(one, other, fixture.name)
    else t.equal(one, other, fixture.name)
  }
})

t.test('a redelivery has the same key', async t => {
  for (const { headers, body, name } of readFixtures()) {
    const again = { ...headers, 'x-gitlab-event-uuid': 'other', 'x-gitlab-webhook-uuid': 'other' }
    t.equal(eventOf({ headers: again, body }).dedupe_key, eventOf({ headers, body }).dedupe_key, name)
  }
})

t.test('without a delivery id, the content identifies the event', async t => {
  const flag = (active: boolean) => ({
    headers: INSTANCE,
    body: { object_kind: 'feature_flag', object_attributes: { id: 6, active } },
  })
  t.equal(eventOf(flag(true)).dedupe_key, eventOf(flag(true)).dedupe_key)
  t.not(eventOf(flag(true)).dedupe_key, eventOf(flag(false)).dedupe_key)
  t.match(eventOf(flag(true)).dedupe_key, /^code_b:gitlab\.example\.org:feature_flag:6:enabled:sha256-[0-9a-f]{64}$/u)
})

t.test('a key contains no name that can change', async t => {
  const renamings: [from: string, to: string][] = [
    ['lovelace/mills/engine', 'babbage/engine'],
    ['ghopper', 'amazing-grace'],
    ['Carry lever sticks at 9', 'Fixed'],
    ['Spring the carry lever', 'Fixed'],
    ['Mills', 'Works'],
    ['project_7010_bot_1f0c', 'project_7010_bot_renamed'],
  ]
  for (const fixture of readFixtures()) {
    // All content of a release identifies its edit, and the delivery identifies an alert.
    if (fixture.name === 'release-edited' || typeof fixture.body === 'string') continue
    const text = renamings.reduce((sent, [from, to]) => sent.replaceAll(from, to), JSON.stringify(fixture.body))
    const renamed = eventOf({ headers: fixture.headers, body: JSON.parse(text) as Record<string, unknown> })
    t.equal(renamed.dedupe_key, eventOf(fixture).dedupe_key, fixture.name)
  }
})

t.test('equal ids on two instances are two events', async t => {
  const { headers, body } = readFixture('issue-opened')
  const elsewhere = { ...headers, 'x-gitlab-instance': 'https://git.example.com:8443' }
  t.equal(eventOf({ headers, body }).dedupe_key, 'code_b:gitlab.example.org:issue:880012:created')
  t.equal(eventOf({ headers: elsewhere, body }).dedupe_key, 'code_b:git.example.com:8443:issue:880012:created')
})

t.test('ids of the platform distinguish occurrences', async t => {
  const at = (second: number) => `2031-05-04 09:00:0${second} UTC`
  const issue = (action: string, second: number, changes = {}) => ({
    object_kind: 'issue',
    object_attributes: { id: 5, action, updated_at: at(second) },
    changes,
  })
  const labels = (...ids: number[]) => ({ labels: { previous: [], current: ids.map(id => ({ id, title: 'bug' })) } })
  const approval = (action: string, user: number) => ({
    object_kind: 'merge_request',
    user: { id: user },
    object_attributes: { id: 5, action, updated_at: at(1) },
  })
  const commits = (sha: string) => ({
    object_kind: 'merge_request',
    object_attributes: { id: 5, action: 'update', updated_at: at(1), oldrev: 'aa', last_commit: { id: sha } },
  })
  const push = (ref: string, before: string, after: string) => ({ object_kind: 'push', ref, before, after })
  const pipeline = (status: string, finished: number) => ({
    object_kind: 'pipeline',
    object_attributes: { id: 5, status, finished_at: at(finished) },
  })
  const job = (status: string, retries: number) => ({
    object_kind: 'build',
    build_id: 5,
    build_status: status,
    retries_count: retries,
  })
  const deployment = (approval: number) => ({
    object_kind: 'deployment',
    deployment_id: 5,
    status: 'approved',
    approval: { id: approval },
  })
  const waiting = (status: string, ended: number | null) => ({
    object_kind: 'pipeline',
    object_attributes: { id: 5, status, created_at: at(0), finished_at: null },
    builds: [
      { id: 1, finished_at: at(1) },
      { id: 2, finished_at: ended === null ? null : at(ended) },
    ],
  })
  const note = (text: string) => ({
    object_kind: 'note',
    object_attributes: { id: 5, action: 'update', updated_at: at(1), note: text },
  })
  const described = (text: string) => issue('update', 1, { description: { previous: 'It sticks.', current: text } })
  const member = (name: string, second: number) => ({
    event_name: name,
    group_id: 1,
    user_id: 2,
    updated_at: at(second),
  })
  const token = (interval: string | number) => ({
    object_kind: 'access_token',
    event_name: 'expiring_access_token',
    object_attributes: { id: 5, expires_at: '2031-06-01' },
    interval,
  })
  const vulnerability = (issues: number) => ({
    object_kind: 'vulnerability',
    object_attributes: {
      url: 'https://gitlab.example.org/a/b/-/security/vulnerabilities/5',
      state: 'confirmed',
      updated_at: at(1),
      issues: Array.from({ length: issues }, (_, index) => ({ title: `issue ${index}` })),
    },
  })
  const cases: [one: Record<string, unknown>, other: Record<string, unknown>][] = [
    [issue('update', 1), issue('update', 2)],
    [issue('close', 1), issue('close', 2)],
    [issue('close', 1), issue('reopen', 1)],
    [issue('update', 1, labels(1)), issue('update', 1, labels(1, 2))],
    [issue('update', 1, labels(1)), issue('update', 1, { weight: { previous: 1, current: 2 } })],
    [approval('approval', 1), approval('approval', 2)],
    [approval('approval', 1), approval('approved', 1)],
    [commits('bb'), commits('cc')],
    [push('refs/heads/a', '1', '2'), push('refs/heads/a', '2', '3')],
    [push('refs/heads/a', '1', '2'), push('refs/heads/b', '1', '2')],
    [pipeline('failed', 1), pipeline('failed', 2)],
    [pipeline('failed', 1), pipeline('success', 1)],
    [job('failed', 0), job('failed', 1)],
    [deployment(1), deployment(2)],
    [member('user_add_to_group', 1), member('user_add_to_group', 2)],
    [member('user_add_to_group', 1), member('user_remove_from_group', 1)],
    [token('thirty_days'), token('seven_days')],
    [token(7), token(1)],
    [waiting('running', null), waiting('running', 2)],
    [waiting('manual', 2), waiting('manual', 3)],
    [note('It works.'), note('It works now.')],
    [described('It sticks at 9.'), described('It sticks at nine.')],
    [vulnerability(0), vulnerability(1)],
    [vulnerability(1), vulnerability(2)],
  ]
  for (const [one, other] of cases) {
    const headers = { ...INSTANCE, 'idempotency-key': 'same' }
    const keys = [one, other].map(body => eventOf({ headers, body: { project_id: 21, ...body } }).dedupe_key)
    t.not(keys[0], keys[1], keys.join(' '))
  }
})

t.test('a denied request is one event, with the terms of both hooks', async t => {
  const { headers, ...fixture } = readFixture('member-request-denied')
  const body = { ...jsonOf({ headers, ...fixture }), event_name: 'user_access_request_revoked_for_group' }
  t.equal(eventOf({ headers, body }).dedupe_key, eventOf({ headers, ...fixture }).dedupe_key)
})
