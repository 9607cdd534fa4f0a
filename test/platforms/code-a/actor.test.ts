import t from 'tap'
import { type Fixture, jsonOf } from '../adapter-fixtures.js'
import { eventOf, readFixture } from './support.js'

const ADA = { id: 1815, login: 'ada-l', type: 'User' }
const GRACE = { id: 1906, login: 'ghopper', type: 'User' }

function issueBy(sender: unknown, issue: Record<string, unknown>): Omit<Fixture, 'name'> {
  return { headers: { 'x-github-event': 'issues' }, body: { action: 'edited', sender, issue: { id: 5, ...issue } } }
}

t.test('only the sender is the actor', async t => {
  const event = eventOf(issueBy(GRACE, { user: ADA }))
  t.match(event.actor, { id: '1906', display: 'ghopper' })
  t.match(event.target.metadata, { author: { id: '1815', display: 'ada-l' } })
})

t.test('an event without a sender has no actor', async t => {
  for (const sender of [undefined, null, '', 'ada-l', [], {}, 7]) {
    t.match(eventOf(issueBy(sender, { user: ADA })).actor, { id: '', display: '' }, JSON.stringify(sender))
  }
})

t.test('an association is the role of its author and of no other actor', async t => {
  const cases = [
    { association: 'OWNER', role: 'owner' },
    { association: 'MEMBER', role: 'member' },
    { association: 'COLLABORATOR', role: 'member' },
    { association: 'CONTRIBUTOR', role: 'contributor' },
    { association: 'FIRST_TIME_CONTRIBUTOR', role: 'first_time_contributor' },
    { association: 'NONE', role: 'none' },
    { association: null, role: '' },
  ]
  for (const { association, role } of cases) {
    const issue = { user: ADA, author_association: association }
    t.equal(eventOf(issueBy(ADA, issue)).actor_role, role, `${association}`)
    t.equal(eventOf(issueBy(GRACE, issue)).actor_role, '', `${association} of another user`)
  }
})

t.test('a bot is a bot, by its type or by its name', async t => {
  const bots = [
    { id: 1, login: 'crank', type: 'Bot' },
    { id: 2, login: 'crank[bot]' },
  ]
  for (const bot of bots) t.equal(eventOf(issueBy(bot, { user: bot, author_association: 'NONE' })).actor_role, 'bot')
})

t.test('a push without a sender was made by its pusher', async t => {
  const { headers, ...pushed } = readFixture('push-of-two-commits')
  const body = {
    ...jsonOf({ headers, ...pushed }),
    sender: null,
    pusher: { name: 'ada-l', email: 'ada@lovelace.example' },
  }
  t.strictSame(eventOf({ headers, body }).actor, {
    id: '',
    display: 'ada-l',
    metadata: { email: 'ada@lovelace.example' },
  })
})

t.test('the address of a pusher belongs only to a sender who pushed', async t => {
  const pushed = readFixture('push-of-two-commits')
  const { headers } = pushed
  const body = jsonOf(pushed)
  t.equal(eventOf({ headers, body }).actor.metadata.email, 'ada@lovelace.example')
  t.notOk('email' in eventOf({ headers, body: { ...body, sender: GRACE } }).actor.metadata)
})
