import t from 'tap'
import { toMessageEvent } from '../../../src/platforms/chat/messages/message.js'
import { normalise, SITE, message as sample } from './support.js'

const USERS = new Map([['17', { isBot: false, role: 'owner', email: 'ada@lovelace.example' }]])

/** One message by every route. */
function routesOf(message: Record<string, unknown>): Record<string, Record<string, unknown>> {
  const hook = { token: 's3cret', bot_email: 'deploy-helper-bot@chat.example.org', data: message.content, message }
  return {
    'outgoing webhook': { ...hook, trigger: 'mention' },
    'outgoing webhook of an older server': { ...hook, trigger: 'private_message' },
    'event of a queue': { type: 'message', message, flags: [], id: 7 },
    'event of another queue': {
      type: 'message',
      message: { ...message, content: '<p>HTML</p>' },
      flags: ['read'],
      id: 0,
    },
    'answer of GET /events': {
      result: 'success',
      queue_id: 'q',
      events: [{ type: 'message', message, flags: [], id: 3 }],
    },
    'answer of GET /messages': {
      result: 'success',
      anchor: 1,
      found_newest: true,
      messages: [{ ...message, flags: [] }],
    },
    'answer of GET /messages/{id}': { result: 'success', msg: '', raw_content: message.content, message },
    'bare message': message,
  }
}

const MESSAGES = {
  'in a stream': sample(),
  'in the empty topic': sample({ subject: '' }),
  'between people': sample({
    type: 'private',
    subject: '',
    stream_id: undefined,
    display_recipient: [{ id: 19, full_name: 'Grace Hopper', email: 'grace@navy.example' }, { id: 17 }],
  }),
  'of a user who hides their address': sample({ sender_email: 'user17@chat.example.org' }),
  'with little said of it': { id: 8812, sender_full_name: 'Ada Lovelace', content: 'hm' },
}

for (const [name, message] of Object.entries(MESSAGES)) {
  t.test(`a message ${name} is one event, by webhook and by capture`, async t => {
    for (const site of [SITE, undefined]) {
      const captured = toMessageEvent(message, { site, users: USERS })
      for (const [route, body] of Object.entries(routesOf(message))) {
        const { events, ignored } = normalise({ body, site })
        t.strictSame([events.length, ignored], [1, 0], route)
        const [event] = events
        t.equal(event?.dedupe_key, captured?.dedupe_key, route)
        t.equal(event?.kind, 'message.created', route)
        t.equal(event?.subject_id, '8812', route)
        t.equal(event?.occurred_at, captured?.occurred_at, route)
        t.strictSame(event?.target, captured?.target, route)
        t.strictSame(event?.actor, captured?.actor, route)
        t.equal(event?.conversation.key, captured?.conversation.key, route)
      }
    }
  })
}

t.test('every spelling of the server address gives the same key', async t => {
  const keyAt = (site: string) => toMessageEvent(sample(), { site })?.dedupe_key
  for (const site of [
    SITE,
    `${SITE}/`,
    `${SITE}/api`,
    `${SITE}/api/v1/`,
    'chat.example.org',
    'HTTPS://Chat.Example.org',
  ]) {
    t.equal(keyAt(site), 'chat:chat.example.org:message:8812:created', site)
  }
  t.equal(keyAt('http://localhost:9991/'), 'chat:localhost:9991:message:8812:created')
})

t.test('an object without an id is not captured', async t => {
  for (const message of [{}, sample({ id: null }), sample({ id: '' })]) {
    t.equal(toMessageEvent(message, { site: SITE }), undefined)
  }
})

t.test('an answer of the maximum size gives an event for each message', async t => {
  const messages = Array.from({ length: 5_000 }, (_, id) => sample({ id: id + 1 }))
  const { events, ignored } = normalise({ body: { messages }, site: SITE })
  t.strictSame([events.length, ignored], [5_000, 0])
  t.equal(new Set(events.map(event => event.dedupe_key)).size, 5_000)
  t.strictSame(events[4_999]?.payload, { ...messages[4_999], sender_is_bot: null, base_url: SITE })
})

t.test('an answer above the maximum number of messages is refused', async t => {
  const messages = Array.from({ length: 10_001 }, (_, id) => ({ id: id + 1 }))
  t.throws(() => normalise({ body: { messages } }), { category: 'too_large', code: 'body_too_large' })
})
