import t from 'tap'
import type { ChatUser } from '../../../src/platforms/chat/context.js'
import { toMessageEvent } from '../../../src/platforms/chat/messages/message.js'
import { eventOf, message, SITE } from './support.js'

function sentBy(members: Record<string, unknown>, user?: ChatUser) {
  const users = user && new Map([['17', user]])
  const event = toMessageEvent(message(members), { site: SITE, ...(users ? { users } : {}) })
  if (!event) throw new Error('no event')
  return event
}

t.test('the list of users decides whether the sender is a bot, or else the address, or else it is unknown', async t => {
  const bot = { isBot: true, role: 'member' }
  const person = { isBot: false, role: 'member' }
  const unknown = { isBot: undefined, role: undefined }
  const cases: [members: Record<string, unknown>, user: ChatUser | undefined, expected: boolean | null][] = [
    [{}, undefined, null],
    [{}, bot, true],
    [{}, person, false],
    [{}, unknown, null],
    [{ sender_email: 'bell-bot@chat.example.org' }, undefined, true],
    [{ sender_email: 'BELL-BOT@chat.example.org' }, undefined, true],
    [{ sender_email: 'bell-bot@chat.example.org' }, unknown, true],
    [{ sender_email: 'bell-bot@chat.example.org' }, person, false],
    [{ sender_email: 'abbot@chat.example.org' }, undefined, null],
    [{ sender_email: 'a-bot@x@chat.example.org' }, undefined, null],
    [{ sender_email: 'notification-bot@zulip.com' }, undefined, true],
    [{ sender_email: 'Welcome-Bot@zulip.com' }, undefined, true],
    [{ sender_email: 'emailgateway@zulip.com' }, undefined, true],
    [{ sender_realm_str: 'zulipinternal' }, undefined, true],
    [{ sender_realm_str: '' }, undefined, null],
    [{ sender_is_bot: true }, undefined, true],
    [{ sender_is_bot: false, sender_email: 'bell-bot@chat.example.org' }, undefined, false],
    [{ sender_is_bot: null }, bot, true],
    [{ sender_is_bot: 'yes' }, undefined, 'yes' as unknown as null],
  ]
  for (const [members, user, expected] of cases) {
    const event = sentBy(members, user)
    t.equal(event.payload.sender_is_bot, expected, JSON.stringify([members, user]))
    t.equal(event.actor_role === 'bot', expected === true, JSON.stringify([members, user]))
  }
})

t.test('the role comes from the list of users', async t => {
  t.equal(sentBy({}, { isBot: false, role: 'owner' }).actor_role, 'owner')
  t.equal(sentBy({}, { isBot: undefined, role: 'guest' }).actor_role, 'guest')
  t.equal(sentBy({}, { isBot: true, role: 'owner' }).actor_role, 'bot')
  t.equal(sentBy({}).actor_role, '')
})

t.test('an address that is not sent comes from the list of users', async t => {
  const user = { isBot: false, role: 'member', email: 'ada@lovelace.example' }
  t.strictSame(sentBy({ sender_email: undefined }, user).actor.metadata, { email: 'ada@lovelace.example' })
  t.strictSame(sentBy({ sender_email: 'user17@chat.example.org' }, user).actor.metadata, {
    email: 'user17@chat.example.org',
  })
})

t.test('the payload contains the known facts in addition to the delivered ones', async t => {
  const event = eventOf({ body: { type: 'message', message: message(), id: 4 }, site: SITE })
  t.strictSame(event.payload, {
    type: 'message',
    message: message(),
    id: 4,
    sender_id: 17,
    sender_email: 'ada@lovelace.example',
    sender_full_name: 'Ada Lovelace',
    sender_is_bot: null,
    base_url: SITE,
  })
  const sent = { ...message(), sender_is_bot: true, base_url: 'https://elsewhere.example.org', sender_id: '17' }
  t.strictSame(eventOf({ body: sent, site: SITE }).payload, sent, 'nothing of that is replaced')
})

t.test('the actor is not guessed', async t => {
  const unknownActor = { id: '', display: '' }
  const deleted = { type: 'delete_message', message_id: 8812, sender_id: 17, sender_email: 'ada@lovelace.example' }
  t.match(eventOf({ body: deleted }).actor, unknownActor)
  t.match(
    eventOf({ body: { type: 'realm_user', op: 'update', person: { user_id: 17, full_name: 'Ada' } } }).actor,
    unknownActor,
  )
  t.match(eventOf({ body: { type: 'user_status', user_id: 17, status_text: 'away' } }).actor, unknownActor)
  t.match(
    eventOf({ body: { type: 'subscription', op: 'peer_add', stream_ids: [4], user_ids: [17] } }).actor,
    unknownActor,
  )
})
