import t from 'tap'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, INSTANCE, readFixture } from './support.js'

function issueBy(user: unknown) {
  return eventOf({
    headers: INSTANCE,
    body: { object_kind: 'issue', user, object_attributes: { id: 5, author_id: 1815, action: 'update' } },
  })
}

t.test('the actor is the user of the payload, and the author stays with the object', async t => {
  const event = issueBy({ id: 1906, name: 'Grace Hopper', username: 'ghopper', email: 'grace@hopper.example' })
  t.strictSame(event.actor, {
    id: '1906',
    display: 'ghopper',
    metadata: { name: 'Grace Hopper', username: 'ghopper', email: 'grace@hopper.example' },
  })
  t.match(event.target.metadata, { author: { id: '1815' } })
})

t.test('an event without a named actor has no actor', async t => {
  for (const user of [undefined, null, '', 'ada', [], {}, 7]) {
    t.strictSame(issueBy(user).actor, { id: '', display: '', metadata: {} }, JSON.stringify(user))
  }
})

t.test('a redacted address is absent', async t => {
  t.notOk('email' in issueBy({ id: 1815, username: 'ada', email: '[REDACTED]' }).actor.metadata)
})

t.test('a push names its pusher in addition to everything else', async t => {
  t.match(eventOf(readFixture('push-of-two-commits')).actor, { id: '1815', display: 'ada' })
  t.match(eventOf(readFixture('repository-updated')).actor, { id: '1815', display: 'Ada Lovelace' })
})

t.test('the added member of a group is not the actor', async t => {
  for (const name of ['member-added-to-a-group', 'member-updated-in-a-project', 'user-created', 'key-created']) {
    t.strictSame(eventOf(readFixture(name)).actor, { id: '', display: '', metadata: {} }, name)
  }
})

t.test('the approver of a deployment is the actor', async t => {
  const { headers, ...fixture } = readFixture('deployment-approved')
  t.match(eventOf({ headers, ...fixture }).actor, { id: '1906', display: 'ghopper' })
  const { approver: _, ...body } = jsonOf({ headers, ...fixture })
  t.match(eventOf({ headers, body }).actor, { id: '1815', display: 'ada' })
})

t.test('the actor of a vulnerability change has only an id', async t => {
  const actorIn = (state: string, by: Record<string, unknown>) =>
    eventOf({ headers: INSTANCE, body: { object_kind: 'vulnerability', object_attributes: { state, ...by } } }).actor
  const ids = { confirmed_by_id: 1, dismissed_by_id: 2, resolved_by_id: 3 }
  t.equal(actorIn('confirmed', ids).id, '1')
  t.equal(actorIn('dismissed', ids).id, '2')
  t.equal(actorIn('resolved', ids).id, '3')
  t.equal(actorIn('detected', ids).id, '')
})

t.test('bots are recognised by their reserved usernames', async t => {
  const bots = [
    'project_7010_bot',
    'project_7010_bot1',
    'project_1_bot_0a1b',
    'group_9_bot_ff',
    'ghost',
    'support-bot',
    'alert-bot',
  ]
  for (const username of bots) t.equal(issueBy({ id: 1, username }).actor_role, 'bot', username)
  for (const username of ['ada', 'project_bot', 'my_project_1_bot', 'ghost1', 'robot', undefined]) {
    t.equal(issueBy({ id: 1, username, name: 'ghost' }).actor_role, '', `${username}`)
  }
})

t.test('access levels are words, whether sent as words or as numbers', async t => {
  const levels: [level: unknown, role: string | undefined][] = [
    [10, 'guest'],
    ['20', 'reporter'],
    [30, 'developer'],
    ['Maintainer', 'maintainer'],
    ['Minimal Access', 'minimal_access'],
    [50, 'owner'],
    [33, '33'],
    [null, undefined],
  ]
  for (const [level, role] of levels) {
    const { headers, ...fixture } = readFixture('member-added-to-a-group')
    const event = eventOf({ headers, body: { ...jsonOf({ headers, ...fixture }), group_access: level } })
    t.equal(event.target.metadata?.role, role, `${level}`)
  }
})
