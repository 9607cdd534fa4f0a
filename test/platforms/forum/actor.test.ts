import t from 'tap'
import { eventOf, headersOf, readFixture } from './support.js'

const ADA = { id: 1815, username: 'ada', name: 'Ada Lovelace' }
const NOBODY = { id: '', display: '', metadata: {} }

function postBy(members: Record<string, unknown>) {
  return eventOf({ headers: headersOf('post', 'post_created'), body: { post: { id: 5, user_id: 1815, ...members } } })
}

t.test('the actor of a like is the user who liked the post, and not its author', async t => {
  const { actor, actor_role, target } = eventOf(readFixture('post-liked'))
  t.match(actor, { id: '1815', display: 'Ada Lovelace' })
  t.equal(actor_role, '', 'the post has the role of its author')
  t.match(target.parent?.metadata, { author: { id: '1906', display: 'Grace Hopper' } })
})

t.test('an event without a named actor has no actor', async t => {
  const silent = [
    'reply-edited',
    'reply-destroyed-without-a-time',
    'reply-recovered',
    'topic-edited',
    'topic-closed',
    'topic-destroyed-without-a-time',
    'topic-recovered',
    'solution-accepted',
    'user-updated',
    'user-suspended',
    'user-destroyed',
    'user-promoted',
    'group-updated',
    'group-member-added',
    'category-updated',
    'tag-created',
    'badge-revoked',
    'reviewable-transitioned',
    'chat-message-restored',
  ]
  for (const name of silent) {
    const { actor, actor_role } = eventOf(readFixture(name))
    t.strictSame(actor, NOBODY, name)
    t.equal(actor_role, '', name)
  }
})

t.test('the actor of a deletion is the user that the payload names as deleter', async t => {
  for (const name of ['reply-destroyed', 'topic-destroyed', 'chat-message-trashed-by-another']) {
    t.equal(eventOf(readFixture(name)).actor.id, '1791', name)
  }
  const { headers, body } = readFixture('chat-message-trashed-by-another')
  const ownDoing = JSON.parse(JSON.stringify(body).replace('"deleted_by_id":1791', '"deleted_by_id":1906'))
  t.match(eventOf({ headers, body: ownDoing }).actor, { id: '1906', display: 'Grace Hopper' })
})

t.test('the role is that of the actor, if the payload has one', async t => {
  const cases = [
    { members: { admin: true, moderator: true, staff: true, trust_level: 4 }, role: 'admin' },
    { members: { admin: false, moderator: true, staff: true, trust_level: 4 }, role: 'moderator' },
    { members: { admin: false, moderator: false, staff: true, trust_level: 4 }, role: 'staff' },
    { members: { admin: false, moderator: false, staff: false, trust_level: 0 }, role: 'member' },
    { members: { admin: 'true', trust_level: null }, role: '' },
    { members: { user_id: -2, admin: true, trust_level: 4 }, role: 'bot' },
    { members: {}, role: '' },
  ]
  for (const { members, role } of cases) t.equal(postBy(members).actor_role, role, JSON.stringify(members))
})

t.test('a missing or empty name is replaced by the user name', async t => {
  t.equal(postBy({ username: 'ada', name: 'Ada', display_username: 'Ada L.' }).actor.display, 'Ada')
  t.equal(postBy({ username: 'ada', name: null, display_username: 'Ada L.' }).actor.display, 'Ada L.')
  t.equal(postBy({ username: 'ada', name: '', display_username: '' }).actor.display, 'ada')
  t.equal(postBy({ username: '井上' }).actor.display, '井上')
  t.strictSame(postBy({ user_id: null }).actor, NOBODY)
})

t.test('people are read from an object or from an id', async t => {
  for (const granted_by of [{ granted_by: ADA }, { granted_by_id: 1815 }, { granted_by_id: '1815' }]) {
    const body = { user_badge: { id: 1, badge_id: 2, user_id: 3, ...granted_by } }
    t.equal(eventOf({ headers: headersOf('user_badge', 'user_badge_granted'), body }).actor.id, '1815')
  }
})

t.test('the user is the actor of events of its own account', async t => {
  for (const [event, id] of Object.entries({
    user_created: '1815',
    user_logged_in: '1815',
    user_logged_out: '1815',
    user_confirmed_email: '1815',
    user_approved: '',
    user_unsuspended: '',
  })) {
    t.equal(eventOf({ headers: headersOf('user', event), body: { user: ADA } }).actor.id, id, event)
  }
  t.equal(eventOf(readFixture('user-created')).actor.metadata.email, 'ada@lovelace.example')
})

t.test('the recipient of a notification is not its actor', async t => {
  const { actor, target } = eventOf(readFixture('notification-created'))
  t.match(actor, { id: '', display: 'grace.h' })
  t.match(target.metadata, { recipient: { id: '1815' } })
  t.strictSame(eventOf(readFixture('notification-created-about-a-badge')).actor, NOBODY)
  for (const [type, data] of [
    [16, { group_id: 5, inbox_count: 3, username: 'ada' }],
    [18, { topic_title: 'Engines', display_username: 'ada' }],
    [24, { title: 'Engines', display_username: 'ada', bookmark_id: 8 }],
    [27, { topic_title: 'Engines', display_username: 'ada' }],
    [14, { message: 'discourse_post_event.notifications.before_event_reminder', display_username: 'ada' }],
  ] as const) {
    const body = { notification: { id: 9, user_id: 1815, notification_type: type, data } }
    t.strictSame(eventOf({ headers: headersOf('notification', 'notification_created'), body }).actor, NOBODY, `${type}`)
  }
})

t.test('the actor of a notification is read from one of several members', async t => {
  for (const data of [
    { original_username: 'grace', display_username: '3 replies' },
    { display_username: 'grace' },
    { username: 'grace' },
    { mentioned_by_username: 'grace', chat_channel_id: 4 },
    { invited_by_username: 'grace', chat_channel_id: 4 },
  ]) {
    const body = { notification: { id: 9, user_id: 1815, notification_type: 5, data } }
    const { actor } = eventOf({ headers: headersOf('notification', 'notification_created'), body })
    t.match(actor, { id: '', display: 'grace' }, JSON.stringify(data))
  }
})
