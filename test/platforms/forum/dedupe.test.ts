import t from 'tap'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, headersOf, readFixture, readFixtures } from './support.js'

t.test('a retry and a second hook have another delivery id and give the same event', async t => {
  for (const fixture of readFixtures()) {
    const again = { ...fixture, headers: { ...fixture.headers, 'x-discourse-event-id': '990001' } }
    t.strictSame(eventOf(again), eventOf(fixture), fixture.name)
  }
})

t.test('the content type of a hook does not change an event', async t => {
  for (const fixture of readFixtures()) {
    const headers = { ...fixture.headers, 'content-type': 'application/x-www-form-urlencoded' }
    t.equal(eventOf({ ...fixture, headers }).dedupe_key, eventOf(fixture).dedupe_key, fixture.name)
  }
})

t.test('a key contains no name that can change', async t => {
  for (const fixture of readFixtures()) {
    const { dedupe_key } = eventOf(fixture)
    if (dedupe_key.includes(':sha256-')) continue
    const renamed = JSON.parse(
      JSON.stringify(jsonOf(fixture))
        .replaceAll('Carry lever sticks at 9', 'Solved: the lever')
        .replaceAll('carry-lever-sticks-at-9', 'solved-the-lever')
        .replaceAll('grace.h', 'amazing-grace')
        .replaceAll('Hopper', 'Murray')
        .replaceAll('"ada"', '"countess"')
        .replaceAll('support', 'help')
        .replaceAll('engines', 'mills')
        .replaceAll('"carry"', '"borrow"'),
    ) as Record<string, unknown>
    t.equal(eventOf({ headers: fixture.headers, body: renamed }).dedupe_key, dedupe_key, fixture.name)
  }
})

t.test('equal ids on two forums are two events, also under one host', async t => {
  const { headers, body } = readFixture('reply-edited')
  const instances = ['https://forum.example.org', 'https://example.net/community', 'https://example.net/staff']
  const keys = instances.map(
    instance => eventOf({ headers: { ...headers, 'x-discourse-instance': instance }, body }).dedupe_key,
  )
  t.equal(new Set(keys).size, instances.length)
})

t.test('an event that happens once has only the object in its key', async t => {
  const cases: [name: string, key: string][] = [
    ['post-created', 'post:4100:created'],
    ['reply-created-by-a-moderator', 'reply:4101:created'],
    ['topic-created', 'topic:512:created'],
    ['user-created', 'user:1815:created'],
    ['user-destroyed', 'user:1815:deleted'],
    ['badge-revoked', 'badge:669:revoked'],
    ['notification-created', 'notification:2210:created'],
    ['reviewable-created', 'reviewable:77:created'],
    ['group-member-added', 'group_member:90210:added'],
    ['chat-message-created', 'message:881:created'],
    ['post-liked', 'post:4101:liked:1815'],
  ]
  for (const [name, key] of cases) t.equal(eventOf(readFixture(name)).dedupe_key, `forum:forum.example.org:${key}`)
})

t.test('ids of the forum distinguish occurrences', async t => {
  const at = (second: number) => `2031-05-04T09:00:0${second}.123Z`
  const cases: [type: string, event: string, one: Record<string, unknown>, other: Record<string, unknown>][] = [
    ['post', 'post_edited', { version: 2, updated_at: at(1) }, { version: 3, updated_at: at(1) }],
    ['post', 'post_edited', { version: 2, updated_at: at(1) }, { version: 2, updated_at: at(2) }],
    ['post', 'post_edited', { raw: 'one' }, { raw: 'other' }],
    ['post', 'post_destroyed', { deleted_at: at(1) }, { deleted_at: at(2) }],
    ['post', 'post_destroyed', { reads: 1 }, { reads: 2 }],
    ['post', 'post_recovered', { reads: 1 }, { reads: 2 }],
    ['topic', 'topic_edited', { title: 'one' }, { title: 'other' }],
    ['topic', 'topic_destroyed', { deleted_at: at(1) }, { deleted_at: at(2) }],
    ['topic', 'topic_closed_status_updated', { closed: true }, { closed: false }],
    ['topic', 'topic_pinned_status_updated', { pinned: true }, { pinned: false }],
    ['user', 'user_logged_in', { last_seen_at: at(1) }, { last_seen_at: at(2) }],
    ['reviewable', 'reviewable_transitioned_to', { status: 1, version: 1 }, { status: 2, version: 1 }],
    ['reviewable', 'reviewable_transitioned_to', { status: 1, version: 1 }, { status: 1, version: 2 }],
    [
      'reviewable',
      'reviewable_score_updated',
      { status: 0, version: 0, score: 1 },
      { status: 0, version: 0, score: 2 },
    ],
    ['assign', 'assigned', { topic_id: 512, assigned_to_id: 1 }, { topic_id: 512, assigned_to_id: 2 }],
    ['topic_voting', 'topic_upvote', { topic_id: 512, voter_id: 1 }, { topic_id: 512, voter_id: 2 }],
  ]
  for (const [type, event, one, other] of cases) {
    const headers = headersOf(type, event)
    const keys = [one, other].map(members => eventOf({ headers, body: { [type]: { id: 5, ...members } } }).dedupe_key)
    t.not(keys[0], keys[1], `${event}: ${keys.join(' ')}`)
  }
})

t.test('deleting, restoring and deleting again are three events', async t => {
  const post = (members: Record<string, unknown>) => ({ post: { id: 5, post_number: 2, version: 1, ...members } })
  const keys = [
    eventOf({ headers: headersOf('post', 'post_destroyed'), body: post({ deleted_at: '2031-05-04T09:00:01Z' }) }),
    eventOf({ headers: headersOf('post', 'post_recovered'), body: post({ deleted_at: null }) }),
    eventOf({ headers: headersOf('post', 'post_destroyed'), body: post({ deleted_at: '2031-05-04T09:00:09Z' }) }),
  ].map(event => event.dedupe_key)
  t.equal(new Set(keys).size, 3)
})

t.test('the time of an event is the time of its occurrence, or absent', async t => {
  const cases: [name: string, occurredAt: string | null][] = [
    ['reply-created-by-a-moderator', '2031-05-04T09:30:12.418000Z'],
    ['reply-edited', '2031-05-04T09:41:00.007000Z'],
    ['reply-destroyed', '2031-05-05T08:00:00.250000Z'],
    ['reply-destroyed-without-a-time', null],
    ['reply-recovered', null],
    ['topic-edited', null],
    ['topic-destroyed', '2031-05-08T10:00:00.100000Z'],
    ['post-liked', null],
    ['solution-accepted', null],
    ['user-created', '2031-01-02T08:00:00.000000Z'],
    ['user-destroyed', null],
    ['badge-granted', '2031-05-05T00:30:01.420000Z'],
    ['badge-revoked', null],
    ['reviewable-transitioned', null],
    ['chat-message-edited', null],
  ]
  for (const [name, occurredAt] of cases) t.equal(eventOf(readFixture(name)).occurred_at, occurredAt, name)
})

t.test('a solution that is accepted, unmarked and accepted again is three events, each recorded once', t => {
  const { headers, body } = readFixture('solution-accepted')
  const solved = (event: string, updated_at: string) => ({
    headers: { ...headers, 'x-discourse-event': `${event}_solution` },
    body: { solved: { ...(jsonOf({ name: '', headers, body }).solved as object), updated_at } },
  })
  const sent = [
    solved('accepted', '2031-05-04T09:00:00.000Z'),
    solved('unaccepted', '2031-05-04T09:01:00.000Z'),
    solved('accepted', '2031-05-04T09:02:00.000Z'),
  ]
  t.equal(new Set(sent.map(delivery => eventOf(delivery).dedupe_key)).size, 3)
  t.equal(new Set([...sent, ...sent].map(delivery => eventOf(delivery).dedupe_key)).size, 3, 'sent again')
  t.end()
})
