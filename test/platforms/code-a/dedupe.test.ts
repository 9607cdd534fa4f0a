import t from 'tap'
import type { Fixture } from '../adapter-fixtures.js'
import { eventOf, readFixture, readFixtures } from './support.js'

const DELIVERY = /^x-(github|gitea|gogs|forgejo)-delivery$/u

/** Kinds whose payload does not distinguish one occurrence from the next. */
const KEYED_BY_DELIVERY = new Set([
  'branch.created',
  'branch.deleted',
  'deployment_protection_rule.requested',
  'deployment_review.approved',
  'difference_engine.turned_twice',
  'github_app_authorization.removed',
  'installation_repositories.added',
  'installation_target.renamed',
  'label.updated',
  'marketplace_purchase.changed',
  'member.added',
  'membership.added',
  'merge_group.checks_requested',
  'org_block.blocked',
  'organization.member_added',
  'organization.member_invited',
  'organization.renamed',
  'sponsorship.tier_changed',
  'star.deleted',
  'tag.deleted',
  'team.added_to_repository',
  'team.updated',
  'team_add.added',
  'watch.created',
])

/** An edit is identified by what it wrote, a new title included. */
const EDITED_TITLE = 'issue-edited'

/** The same event, through a second hook: of the organisation, or of an app. */
function throughAnotherHook({ headers, body }: Fixture): Omit<Fixture, 'name'> {
  const others = Object.entries(headers).map(([name, value]) => [name, DELIVERY.test(name) ? `other-${value}` : value])
  if (typeof body === 'string') return { headers: Object.fromEntries(others), body }
  const organization = { login: 'lovelace-labs', id: 5150 }
  return { headers: Object.fromEntries(others), body: { organization, installation: { id: 3 }, ...body } }
}

t.test('an event that two hooks deliver has one key', async t => {
  for (const fixture of readFixtures()) {
    const event = eventOf(fixture)
    const noId = event.dedupe_key.includes(':-:')
    if (KEYED_BY_DELIVERY.has(event.kind) || noId) {
      t.not(eventOf(throughAnotherHook(fixture)).dedupe_key, event.dedupe_key, fixture.name)
    } else {
      t.equal(eventOf(throughAnotherHook(fixture)).dedupe_key, event.dedupe_key, fixture.name)
    }
  }
})

t.test('without a delivery id, the content identifies the event', async t => {
  const headers = { 'x-github-event': 'label' }
  const once = eventOf({ headers, body: { action: 'edited', label: { id: 61, color: 'ffffff' } } })
  const again = eventOf({ headers, body: { action: 'edited', label: { id: 61, color: 'ffffff' } } })
  const another = eventOf({ headers, body: { action: 'edited', label: { id: 61, color: '000000' } } })
  t.equal(once.dedupe_key, again.dedupe_key)
  t.not(once.dedupe_key, another.dedupe_key)
  t.match(once.dedupe_key, /^code_a:unknown:label:61:updated:sha256-[0-9a-f]{64}$/u)
})

t.test('a key contains no name that can change', async t => {
  for (const fixture of readFixtures()) {
    if (typeof fixture.body === 'string' || fixture.name === EDITED_TITLE) continue
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

t.test('ids of the platform distinguish occurrences', async t => {
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

/** Deliveries about one object in order of time. Each is a separate event. */
const HAPPENS_AGAIN: Readonly<Record<string, { event: string; bodies: Record<string, unknown>[] }>> = {
  'a tag that is pushed, deleted and pushed again on one commit': {
    event: 'push',
    bodies: [
      pushed('refs/tags/v1', '00', 'aa', 1),
      pushed('refs/tags/v1', 'aa', '00', 2),
      pushed('refs/tags/v1', '00', 'aa', 3),
    ],
  },
  'a branch that goes to and fro between two commits': {
    event: 'push',
    bodies: [
      pushed('refs/heads/main', 'aa', 'bb', 1),
      pushed('refs/heads/main', 'bb', 'aa', 2),
      pushed('refs/heads/main', 'aa', 'bb', 3),
      pushed('refs/heads/main', 'bb', 'aa', 4),
    ],
  },
  'a push to a server that sends only the last change of the repository': {
    event: 'push',
    bodies: [1, 2].map(second => ({
      ref: 'refs/heads/main',
      before: 'aa',
      after: 'bb',
      repository: { id: 21, updated_at: at(second) },
    })),
  },
  'a release that is published, taken back and published again': {
    event: 'release',
    bodies: [
      { action: 'published', release: { id: 9, published_at: at(1), updated_at: at(1) } },
      { action: 'released', release: { id: 9, published_at: at(1), updated_at: at(1) } },
      { action: 'unpublished', release: { id: 9, published_at: null, updated_at: at(2) } },
      { action: 'published', release: { id: 9, published_at: at(3), updated_at: at(3) } },
      { action: 'released', release: { id: 9, published_at: at(3), updated_at: at(3) } },
      { action: 'unpublished', release: { id: 9, published_at: null, updated_at: at(4) } },
    ],
  },
  'two edits of a comment within a second': edits('issue_comment', 'comment', [{ body: 'one' }, { body: 'two' }]),
  'two edits of a comment on a discussion': edits('discussion_comment', 'comment', [{ body: 'one' }, { body: 'two' }]),
  'two edits of a comment on code': edits('pull_request_review_comment', 'comment', [{ body: 'one' }, { body: 'two' }]),
  'two edits of an issue, its title and its text': edits('issues', 'issue', [
    { title: 'One', body: 'one' },
    { title: 'Two', body: 'one' },
    { title: 'Two', body: 'two' },
  ]),
  'two edits of a pull request, its title and its base': edits('pull_request', 'pull_request', [
    { title: 'One', base: { ref: 'main' } },
    { title: 'Two', base: { ref: 'main' } },
    { title: 'Two', base: { ref: 'next' } },
  ]),
  'two edits of a review': edits('pull_request_review', 'review', [{ body: 'one' }, { body: 'two' }]),
  'two edits of a discussion': edits('discussion', 'discussion', [{ body: 'one' }, { body: 'two' }]),
  'two edits of a release': edits('release', 'release', [{ body: 'one' }, { body: 'two' }]),
  'two fields of an item of a project': {
    event: 'projects_v2_item',
    bodies: ['Status', 'Priority'].map(field_name => ({
      action: 'edited',
      projects_v2_item: { id: 7, updated_at: at(1) },
      changes: { field_value: { field_name, to: { name: 'High' } } },
    })),
  },
  'two properties that an enterprise takes over': {
    event: 'custom_property_promoted_to_enterprise',
    bodies: ['heat', 'makers'].map(property_name => ({
      action: 'promote_to_enterprise',
      definition: { property_name },
      enterprise: { id: 12, updated_at: at(1) },
    })),
  },
  'two reviews of one pull request by one person, on a server that gives reviews no id': {
    event: 'pull_request_review_rejected',
    bodies: ['no', 'still no'].map(content => ({
      action: 'reviewed',
      number: 5,
      sender: { id: 3 },
      pull_request: { id: 61, number: 5, updated_at: at(1) },
      review: { type: 'pull_request_review_rejected', content },
    })),
  },
}

/** Only its delivery identifies it, so a second hook makes a second event of it. */
const ONLY_BY_DELIVERY = 'two properties that an enterprise takes over'

t.test('a second occurrence is another event, and a redelivery is not', async t => {
  for (const [name, { event, bodies }] of Object.entries(HAPPENS_AGAIN)) {
    const keys = (route: string) =>
      bodies.map((body, nth) => {
        const headers = { 'x-github-event': event, 'x-github-delivery': `${route}-${nth}` }
        return eventOf({ headers, body: { repository: { id: 21, full_name: 'labs/engine' }, ...body } }).dedupe_key
      })
    t.equal(new Set(keys('hook')).size, bodies.length, name)
    t.strictSame(keys('hook'), keys('hook'), `${name}: delivered again`)
    if (name !== ONLY_BY_DELIVERY) t.strictSame(keys('hook'), keys('organisation'), `${name}: through another hook`)
  }
})

t.test('events that can happen only once have a key without an occurrence', async t => {
  const kept: [event: string, body: Record<string, unknown>, key: string][] = [
    ['issues', { action: 'opened', issue: { id: 5 } }, 'issue:5:created'],
    ['issue_comment', { action: 'created', comment: { id: 5 } }, 'comment:5:created'],
    ['pull_request_review', { action: 'submitted', review: { id: 5 } }, 'review:5:submitted'],
    ['release', { action: 'created', release: { id: 5 } }, 'release:5:created'],
    ['fork', { forkee: { id: 5, fork: true } }, 'fork:5:created'],
    [
      'pull_request',
      { action: 'synchronize', after: 'aa', pull_request: { id: 5, updated_at: at(1) } },
      `pull_request:5:updated:aa:${at(1).replace('Z', '.000000Z')}`,
    ],
    [
      'issues',
      {
        action: 'milestoned',
        milestone: { id: 8 },
        issue: { id: 5, number: 2, updated_at: at(1), pull_request: { url: 'x' } },
      },
      `issue:5:milestoned:8:${at(1).replace('Z', '.000000Z')}`,
    ],
  ]
  for (const [event, body, key] of kept) {
    t.equal(eventOf({ headers: { 'x-github-event': event }, body }).dedupe_key, `code_a:unknown:${key}`, event)
  }
})

function at(second: number): string {
  return `2031-05-04T09:00:0${second}Z`
}

function pushed(ref: string, before: string, after: string, second: number): Record<string, unknown> {
  const pushed_at = Date.parse(at(second)) / 1000
  return { ref, before, after, deleted: after === '00', repository: { id: 21, full_name: 'labs/engine', pushed_at } }
}

/** All within one second. */
function edits(event: string, object: string, written: readonly Record<string, unknown>[]) {
  return {
    event,
    bodies: written.map(words => ({ action: 'edited', [object]: { id: 5, updated_at: at(1), ...words } })),
  }
}
