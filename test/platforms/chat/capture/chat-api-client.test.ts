import t, { type Test } from 'tap'
import { AppError } from '../../../../src/model/app-error.js'
import { ChatApiClient } from '../../../../src/platforms/chat/capture/chat-api-client.js'
import { type ChatServer, type ChatServerOptions, chatServer } from '../../../support/chat-server/chat-server.js'
import { brokenJson, type Fault, rateLimited, respondWith } from '../../../support/chat-server/fault.js'

const NARROW = [{ operator: 'stream', operand: 'eng' }] as const
const WINDOW = { narrow: NARROW, anchor: 'newest', before: 10, after: 0, withAnchor: true } as const

async function start(t: Test, options: ChatServerOptions = {}, account: { apiKey?: string } = {}) {
  const server = await chatServer(t, options)
  server.book.say({ stream: 'eng', topic: 'deploys' }, 3)
  return { server, api: clientOf(t, server, account) }
}

function clientOf(t: Test, { url, email, apiKey }: ChatServer, account: { apiKey?: string } = {}): ChatApiClient {
  const api = new ChatApiClient({ site: url, email, api_key: account.apiKey ?? apiKey })
  t.teardown(() => api.close())
  return api
}

t.test('the list of users has their roles, and whether they are bots', async t => {
  const { api } = await start(t)
  const users = await api.users()
  t.same(users.get('9'), { isBot: false, role: 'member', email: 'ada@example.org' })
  t.match(users.get('10'), { isBot: false, role: 'administrator' })
  t.match(users.get('11'), { isBot: true, role: 'member' })
})

t.test(
  'on servers without roles, users have flags, and a visible address takes precedence over a stand-in',
  async t => {
    const members = [
      { user_id: 1, is_owner: true, is_admin: true },
      { user_id: 2, is_admin: true, email: 'user2@chat.example.org', delivery_email: 'bo@example.org' },
      { user_id: 3, is_guest: true },
      { user_id: 4 },
      { is_bot: true },
      null,
    ]
    const { api } = await start(t, { fault: () => respondWith(200, { result: 'success', members }) })
    t.same(
      [...(await api.users())].map(([id, { role, email }]) => [id, role, email]),
      [
        ['1', 'owner', undefined],
        ['2', 'administrator', 'bo@example.org'],
        ['3', 'guest', undefined],
        ['4', undefined, undefined],
      ],
    )
  },
)

t.test('messages without an id are left out, and the others are in order', async t => {
  const messages = [{ id: 7 }, { id: '8' }, { id: 2 ** 60 }, { id: -1 }, null, { id: 3 }]
  const { api } = await start(t, { fault: () => respondWith(200, { result: 'success', messages, found_newest: true }) })
  t.match(await api.messages(WINDOW), { messages: [{ id: 3 }, { id: 7 }], foundNewest: true, foundOldest: false })
})

t.test('a message is found by its id, and a hidden message is not found', async t => {
  const { api, server } = await start(t)
  const [id = 0] = server.book.say({ stream: 'eng', topic: 'deploys' }, 1, 'Done.')
  t.match(await api.message(id), { id, payload: { id, content: 'Done.', stream_id: 4, subject: 'deploys' } })
  t.equal(await api.message(id + 1), undefined)
  const refusals = [
    { fault: respondWith(404, { result: 'error', code: 'BAD_REQUEST' }), code: 'chat_request_refused' },
    { fault: respondWith(400, { result: 'error', code: 'INVALID_API_KEY' }), code: 'chat_credentials_refused' },
    { fault: respondWith(400, {}), code: 'chat_request_refused' },
  ]
  for (const { fault, code } of refusals) {
    const { api } = await start(t, { fault: () => fault })
    await t.rejects(api.message(id), { code })
  }
  const old = await start(t, { featureLevel: 100, book: server.book })
  t.same(await old.api.message(id), { id, payload: { id } }, 'an older server shows that it exists')
})

t.test('a server reports its API feature level; a server without one counts as level 0', async t => {
  const levels = [
    { featureLevel: 271, level: 271 },
    { featureLevel: null, level: 0 },
    { fault: () => respondWith(404, { result: 'error', code: 'BAD_REQUEST', msg: 'Not found' }), level: 0 },
  ]
  for (const { level, ...options } of levels) {
    const { api, server } = await start(t, options)
    t.equal(await api.featureLevel(), level)
    await api.featureLevel()
    t.equal(server.asked.length, 1, 'it is asked once')
  }
})

const refusals: { what: string; fault: Fault; category?: string; code: string; message?: RegExp }[] = [
  {
    what: 'a deactivated account',
    fault: respondWith(401, { code: 'USER_DEACTIVATED' }),
    ...refused(),
    message: /USER_DEACTIVATED/,
  },
  { what: 'a wrong key, as old servers report it', fault: respondWith(400, { code: 'INVALID_API_KEY' }), ...refused() },
  { what: 'a wrong key without a code', fault: respondWith(401, { msg: 'Ungültiger Schlüssel' }), ...refused() },
  {
    what: 'an unknown stream',
    fault: respondWith(400, { code: 'BAD_NARROW' }),
    category: 'invalid',
    code: 'chat_narrow_refused',
  },
  {
    what: 'another refusal',
    fault: respondWith(400, { code: 'BAD_REQUEST' }),
    category: 'invalid',
    code: 'chat_request_refused',
  },
  { what: 'a missing permission', fault: respondWith(403, {}), category: 'forbidden', code: 'chat_not_permitted' },
  { what: 'an incomplete answer', fault: { kind: 'half' }, code: 'chat_connection_lost' },
  { what: 'a connection reset', fault: { kind: 'reset' }, code: 'chat_connection_lost' },
  { what: 'JSON that is cut off', fault: brokenJson(), code: 'chat_answer_unreadable' },
  {
    what: 'JSON of another form',
    fault: respondWith(200, { result: 'success', messages: 'none' }),
    code: 'chat_answer_unreadable',
  },
  { what: 'a list', fault: { kind: 'answer', status: 200, body: '[]' }, code: 'chat_answer_unreadable' },
  {
    what: 'an HTML page of a proxy',
    fault: { kind: 'answer', status: 502, type: 'text/html', body: '<h1>' },
    code: 'chat_unavailable',
  },
  {
    what: 'a redirect',
    fault: respondWith(301, {}, { location: 'https://elsewhere.example' }),
    code: 'chat_answer_unreadable',
    message: /the key is not sent/,
  },
  {
    what: 'an error with the status 200',
    fault: respondWith(200, { result: 'error', code: 'REQUEST_TIMEOUT' }),
    code: 'chat_timeout',
  },
]

function refused() {
  return { category: 'unauthenticated', code: 'chat_credentials_refused' }
}

for (const { what, fault, category = 'unavailable', code, message = /./ } of refusals) {
  t.test(`${what} is reported as ${code}`, async t => {
    const { api, server } = await start(t, { fault: ({ path }) => (path.endsWith('/messages') ? fault : undefined) })
    const error: unknown = await api.messages(WINDOW).catch(error => error)
    t.match(error, { category, code, message })
    t.ok(error instanceof AppError && error.message.includes(server.url), 'the message names the server')
  })
}

t.test('a wrong key is reported without the key', async t => {
  const { api } = await start(t, {}, { apiKey: 'hunter2hunter2' })
  const error: unknown = await api.messages(WINDOW).catch(error => error)
  t.match(error, { code: 'chat_credentials_refused' })
  const encoded = Buffer.from('daybook-bot@chat.example.org:hunter2hunter2').toString('base64')
  for (const secret of ['hunter2', encoded]) t.notOk(JSON.stringify([error, String(error)]).includes(secret))
})

t.test('the wait of a rate limit has fractions of a second, and the body takes precedence over the header', async t => {
  const waits = [
    { fault: rateLimited(28.706807374954224), seconds: 28.706807374954224 },
    { fault: respondWith(429, {}, { 'retry-after': '7' }), seconds: 7 },
    { fault: respondWith(429, {}, { 'retry-after': timeIn(40), date: timeIn(10) }), seconds: 30 },
    { fault: respondWith(429, {}, { 'retry-after': timeIn(-40) }), seconds: 0 },
    { fault: respondWith(429, { 'retry-after': -3 }), seconds: 1 },
    { fault: respondWith(429, { 'retry-after': 'soon' }), seconds: 1 },
    { fault: { kind: 'answer', status: 429, body: 'slow down' } as const, seconds: 1 },
  ]
  for (const { fault, seconds } of waits) {
    const { api } = await start(t, { fault: () => fault })
    await t.rejects(api.users(), { category: 'unavailable', code: 'chat_rate_limited', retryAfterSeconds: seconds })
  }
})

t.test('a missing server, and one that does not speak HTTP, are reported', async t => {
  const { api, server } = await start(t)
  await server.close()
  await t.rejects(api.users(), { code: 'chat_unreachable', message: /connection refused.*EVENT_CHAT_URL/ })
  const secure = new ChatApiClient({ site: server.url.replace('http:', 'https:'), email: 'a@b', api_key: 'k' })
  await t.rejects(secure.users(), { code: 'chat_unreachable' })
})

t.test('a queue is registered for events in streams, in the form of the messages API', async t => {
  const { server, api } = await start(t)
  const queue = await api.registerQueue()
  t.match(queue, { lastEventId: -1, waitSeconds: 90 })
  const [form] = server.queues.registered
  t.same(JSON.parse(form?.get('event_types') ?? ''), [
    'message',
    'update_message',
    'delete_message',
    'reaction',
    'stream',
  ])
  t.match(Object.fromEntries(form ?? []), {
    apply_markdown: 'false',
    all_public_streams: 'false',
    fetch_event_types: '[]',
  })
  const [id] = server.book.say({ stream: 'eng', topic: 'deploys' })
  const answer = await api.queueEvents(queue)
  t.match(answer, {
    events: [{ id: 0, type: 'message', message: { id, content_type: 'text/x-markdown' } }],
    lastEventId: 0,
  })
  const next = { ...queue, lastEventId: answer.lastEventId }
  t.same(await api.queueEvents(next, { isWaiting: false }), { events: [], lastEventId: 0 })
  await t.rejects(
    api.queueEvents(queue, { isWaiting: false }),
    { code: 'chat_queue_lost' },
    'events that it has dropped',
  )
  server.queues.forget()
  await t.rejects(api.queueEvents(next), { category: 'unavailable', code: 'chat_queue_lost' })
})

t.test('the wait for an answer is bounded, and an answer without a queue is refused', async t => {
  const answers = [
    { queue_id: 'q', last_event_id: 3, event_queue_longpoll_timeout_seconds: 1e9 },
    { queue_id: 'q', last_event_id: 3 },
    { queue_id: null, last_event_id: 3 },
    { queue_id: 'q', last_event_id: '3' },
  ]
  const { api } = await start(t, { fault: ({ index }) => respondWith(200, { result: 'success', ...answers[index] }) })
  t.match(await api.registerQueue(), { id: 'q', lastEventId: 3, waitSeconds: 600 })
  t.match(await api.registerQueue(), { waitSeconds: 90 })
  for (const _ of [3, 4]) await t.rejects(api.registerQueue(), { code: 'chat_answer_unreadable' })
})

/** In seconds from now, as proxies write times. */
function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toUTCString()
}
