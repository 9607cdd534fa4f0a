import fc from 'fast-check'
import t from 'tap'
import { BoardClient } from '../../src/client/board-client.js'
import { ledgerCalls } from '../../src/client/consume/ledger-calls.js'
import { LedgerClient } from '../../src/client/ledger-client.js'
import type { LedgerCredential } from '../../src/client/ledger-credential.js'
import { anyCharacter } from '../support/any-character.js'
import { problem, standIn } from './stand-in.js'

interface Route {
  name: string
  ask: (client: LedgerClient) => Promise<unknown>
  method?: string
  url: string
  type?: string
  body?: string
}

const routes: Route[] = [
  { name: 'health', ask: client => client.health(), url: '/api/health' },
  { name: 'stats', ask: client => client.stats(), url: '/api/stats' },
  { name: 'platforms', ask: client => client.platforms(), url: '/api/platforms' },
  { name: 'schema event', ask: client => client.schema('event'), url: '/api/schema/event' },
  { name: 'schema subscription', ask: client => client.schema('subscription'), url: '/api/schema/subscription' },
  { name: 'subscriptions', ask: client => client.subscriptions(), url: '/api/subscriptions' },
  { name: 'subscription', ask: client => client.subscription('sub_1'), url: '/api/subscriptions/sub_1' },
  { name: 'events', ask: client => client.events({}), url: '/api/events' },
  { name: 'event', ask: client => client.event('chat:a/b%'), url: '/api/events/chat%3Aa%2Fb%25' },
  {
    name: 'save a subscription',
    ask: client => client.saveSubscription('{"source":"chat"}'),
    method: 'POST',
    url: '/api/subscriptions',
    type: 'application/json',
    body: '{"source":"chat"}',
  },
  {
    name: 'delete a subscription',
    ask: client => client.deleteSubscription('a/b'),
    method: 'DELETE',
    url: '/api/subscriptions/a%2Fb',
  },
  { name: 'session', ask: client => client.session(), url: '/api/session' },
  { name: 'users', ask: client => client.users(), url: '/api/users' },
  {
    name: 'create a user',
    ask: client => client.createUser('{"username":"ada"}'),
    method: 'POST',
    url: '/api/users',
    type: 'application/json',
    body: '{"username":"ada"}',
  },
  {
    name: 'update a user',
    ask: client => client.updateUser('u/1', '{"enabled":false}'),
    method: 'PATCH',
    url: '/api/users/u%2F1',
    type: 'application/json',
    body: '{"enabled":false}',
  },
  { name: 'delete a user', ask: client => client.deleteUser('u'), method: 'DELETE', url: '/api/users/u' },
  { name: 'issue a token', ask: client => client.issueToken('u'), method: 'POST', url: '/api/users/u/token' },
  { name: 'tokens', ask: client => client.tokens('u'), url: '/api/users/u/tokens' },
  {
    name: 'revoke a token',
    ask: client => client.revokeToken('u', 't/1'),
    method: 'DELETE',
    url: '/api/users/u/tokens/t%2F1',
  },
  { name: 'revoke all tokens', ask: client => client.revokeTokens('u'), method: 'DELETE', url: '/api/users/u/token' },
  {
    name: 'record an event',
    ask: client => client.record('{"kind":"ä"}', 'application/json'),
    method: 'POST',
    url: '/api/events',
    type: 'application/json',
    body: '{"kind":"ä"}',
  },
  {
    name: 'record lines',
    ask: client => client.record(Buffer.from('{}\n{}\n'), 'application/x-ndjson'),
    method: 'POST',
    url: '/api/events',
    type: 'application/x-ndjson',
    body: '{}\n{}\n',
  },
]

/** Members by which the client recognises the answers of a ledger. */
const RECOGNISED = {
  ...{ database: '/events.db', subscription: {}, admin_required: true, token: 'tok_x', created: 1 },
  ...{ event_count: 1, items: [] },
}

for (const { name, ask, method = 'GET', url, type, body = '' } of routes) {
  t.test(`${name} sends ${method} ${url}, below the base address`, async t => {
    const server = await standIn(t, () => ({ body: RECOGNISED }))
    await ask(new LedgerClient({ apiUrl: `${server.url}/base` }))
    t.match(server.arrived, [{ method, url: `/base${url}`, body }])
    t.equal(server.arrived[0]?.headers['content-type'], type)
    t.equal(server.arrived[0]?.headers.authorization, undefined)
  })
}

t.test('every filter arrives unchanged', async t => {
  const server = await standIn(t, () => ({ body: {} }))
  const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 })
  const filters = fc.record(
    { source: text, kind: fc.array(text, { maxLength: 3 }), q: text, since: text, limit: text, target: text },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(filters, async parameters => {
      await new LedgerClient({ apiUrl: server.url }).events(parameters)
      const { searchParams } = new URL(server.arrived.at(-1)?.url ?? '', server.url)
      const { kind = [], ...others } = parameters
      t.same(searchParams.getAll('kind'), kind)
      t.same(Object.fromEntries([...searchParams].filter(([name]) => name !== 'kind')), others)
    }),
    { numRuns: 50 },
  )
})

t.test('every dedupe key arrives as one segment of the path', async t => {
  const server = await standIn(t, () => ({ body: {} }))
  const key = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(key, async dedupeKey => {
      await new LedgerClient({ apiUrl: server.url }).event(dedupeKey)
      const path = server.arrived.at(-1)?.url ?? ''
      t.equal(decodeURIComponent(path.slice('/api/events/'.length)), dedupeKey)
      t.equal(path.split('/').length, 4)
    }),
    { numRuns: 50 },
  )
})

for (const key of ['', '\ud800']) {
  t.test(`no request is sent for a key that cannot be a path segment (${JSON.stringify(key)})`, async t => {
    const server = await standIn(t, () => ({ body: {} }))
    const client = new LedgerClient({ apiUrl: server.url })
    await t.rejects(async () => client.event(key), { category: 'invalid', code: 'invalid_field' })
    t.same(server.arrived, [])
  })
}

t.test('an API token is sent as a bearer token, and the admin token in its own header', async t => {
  const server = await standIn(t, () => ({ body: { event_count: 1 } }))
  const ask = (kind: 'token' | 'admin') =>
    new LedgerClient({ apiUrl: server.url }, { credential: { kind, secret: 'tok_x' } }).stats()
  await ask('token')
  t.match(server.arrived.at(-1)?.headers, { authorization: 'Bearer tok_x', 'x-event-admin-token': undefined })
  await ask('admin')
  t.match(server.arrived.at(-1)?.headers, { authorization: undefined, 'x-event-admin-token': 'tok_x' })
})

t.test('the text of an answer is returned unchanged', async t => {
  const text = '{"event_count":1,  "a":[1.0, "\\u00e4"],\n"__proto__":{}}'
  const server = await standIn(t, () => ({ type: 'application/json; charset=utf-8', body: text }))
  const answer = await new LedgerClient({ apiUrl: server.url }).stats()
  t.equal(answer.text(), text)
  t.match(answer.json(), { a: [1, 'ä'], event_count: 1 })
})

t.test('an answer without content has an empty text', async t => {
  const server = await standIn(t, () => ({ status: 204 }))
  const answer = await new LedgerClient({ apiUrl: server.url }).deleteSubscription('x')
  t.equal(answer.text(), '')
})

t.test('a ledger that cannot record still reports its health', async t => {
  const body = { status: 'unavailable', code: 'store_full', detail: 'The disk is full.' }
  const server = await standIn(t, () => ({ status: 503, body }))
  const answer = await new LedgerClient({ apiUrl: server.url }).health()
  t.equal(answer.status, 503)
  t.same(answer.json(), body)
})

t.test('a board is not a ledger, whether its health needs a login or not', async t => {
  const board = [
    { answer: { body: { status: 'ok', version: '1.2.3' } }, message: /^A board answers there, and not a ledger/ },
    {
      answer: { body: { status: 'ok', version: '1.2.3', database: '/board', engine: 'sqlite' } },
      message: /^A board answers there/,
    },
    { answer: { status: 401, body: { code: 'unauthenticated', detail: 'Log in.' } }, message: /not as a ledger does/ },
  ]
  for (const { answer, message } of board) {
    const server = await standIn(t, () => answer)
    await t.rejects(new LedgerClient({ apiUrl: server.url }).health(), { code: 'not_a_ledger', message })
  }
})

t.test('a board without the requested path, or with another answer, is not a ledger', async t => {
  const open = { body: { status: 'ok', version: '1.2.3', database: '/board', engine: 'sqlite' } }
  for (const health of [open, problem(401, 'unauthenticated')]) {
    const board = await standIn(t, ({ url }) => {
      if (url === '/api/session') return { body: { authenticated: false, csrf_token: null } }
      return url === '/api/health' ? health : problem(404, 'not_found')
    })
    const client = new LedgerClient({ apiUrl: board.url })
    const asks: (() => Promise<unknown>)[] = [
      () => client.stats(),
      () => client.session(),
      () => client.export({ format: 'jsonl' }).next(),
    ]
    const expected = { code: 'not_a_ledger', message: /^A board answers there, and not a ledger/ }
    for (const ask of asks) await t.rejects(ask(), expected)
    const trying = ledgerCalls(client, 'c')
    const failure = await Promise.resolve(trying.save({}, new AbortController().signal)).catch(error => error)
    t.match(failure, expected)
    t.notOk(trying.isTransient(failure), 'a consumer does not wait for it')
  }
})

t.test('the probe for the answering program does not send the key', async t => {
  const keys: unknown[] = []
  const server = await standIn(t, ({ url, headers }) => {
    keys.push([url, headers.authorization])
    return problem(401, 'unauthenticated')
  })
  await t.rejects(new BoardClient({ apiUrl: server.url }, { key: 'wrong' }).cards({}), {
    code: 'unauthenticated',
  })
  t.match(keys, [
    [/^\/api\/cards/, /wrong/],
    ['/api/health', undefined],
  ])
})

t.test('not_found of a server with an unusual health answer stays not_found', async t => {
  for (const health of [{ database: '/events.db' }, { version: 1 }, 'null']) {
    const server = await standIn(t, ({ url }) =>
      url === '/api/health' ? { type: 'application/json', body: health } : problem(404, 'not_found'),
    )
    await t.rejects(new LedgerClient({ apiUrl: server.url }).consumer('x'), { code: 'not_found' })
  }
})

t.test('an answer of another form than a ledger gives is an error', async t => {
  for (const body of [{ hello: 1 }, 'null', '[]', '{"cut":']) {
    const server = await standIn(t, () => ({ type: 'application/json', body }))
    const client = new LedgerClient({ apiUrl: server.url })
    const asks = [
      () => client.session(),
      () => client.stats(),
      () => client.platforms(),
      () => client.sources(),
      () => client.consumers(),
      () => client.users(),
      () => client.saveSubscription('{}'),
      () => client.issueToken('me'),
      () => client.record('{}', 'application/json'),
      () => client.record('{}', 'application/x-ndjson'),
    ]
    for (const ask of asks) await t.rejects(ask(), { code: 'not_a_ledger', message: /^The answer is not .*--api-url/ })
  }
})

const problems = [
  { status: 400, category: 'invalid' },
  { status: 401, category: 'unauthenticated' },
  { status: 403, category: 'forbidden' },
  { status: 404, category: 'not_found' },
  { status: 405, category: 'invalid' },
  { status: 409, category: 'conflict' },
  { status: 413, category: 'too_large' },
  { status: 415, category: 'unsupported_type' },
  { status: 429, category: 'throttled' },
  { status: 500, category: 'internal' },
  { status: 502, category: 'unavailable' },
  { status: 503, category: 'unavailable' },
]
for (const { status, category } of problems) {
  t.test(`a problem of status ${status} becomes ${category}, its code and fields kept`, async t => {
    const errors = [{ field: '/kind', detail: 'is missing' }]
    const server = await standIn(t, () => problem(status, 'some_code', { errors }))
    await t.rejects(new LedgerClient({ apiUrl: server.url }).stats(), {
      category,
      code: 'some_code',
      message: 'Because of some_code.',
      errors,
    })
  })
}

const refusedCredentials: { shown?: LedgerCredential; status: number; code: string; hint: RegExp }[] = [
  { status: 401, code: 'unauthenticated', hint: /Give an API token with --token or EVENT_API_TOKEN/ },
  {
    shown: { kind: 'token', secret: 'tok_secret-word' },
    status: 401,
    code: 'unauthenticated',
    hint: /The API token is not valid here/,
  },
  {
    shown: { kind: 'admin', secret: 'secret-word' },
    status: 401,
    code: 'unauthenticated',
    hint: /The admin token that was sent is not/,
  },
  {
    shown: { kind: 'token', secret: 'tok_secret-word' },
    status: 403,
    code: 'forbidden',
    hint: /Use a token that has this right/,
  },
]
for (const { shown, status, code, hint } of refusedCredentials) {
  t.test(
    `the error of a refused request with ${shown?.kind ?? 'no'} credential (${code}) explains how to give another one`,
    async t => {
      const server = await standIn(t, () => problem(status, code))
      const client = new LedgerClient({ apiUrl: server.url }, shown ? { credential: shown } : {})
      const error = await client.stats().catch(error => error)
      t.match(error, { code, message: hint })
      t.match(error.message, /^Because of /)
      t.notMatch(error.message, /secret-word/)
    },
  )
}

const PROBLEM = 'application/problem+json'

t.test('further members of a problem are read if they are valid', async t => {
  const answers = [
    { answer: { status: 400, type: PROBLEM, body: '[1,2' }, code: 'http_400', message: /status 400/ },
    {
      answer: { status: 400, type: `${PROBLEM}; charset=utf-8`, body: 'null' },
      code: 'http_400',
      message: /status 400/,
    },
    { answer: problem(400, 'Bad Code!'), code: 'http_400', message: /Because/ },
    { answer: problem(400, 'c', { errors: [1, { field: 2 }, 'x'] }), code: 'c', message: /Because/ },
    { answer: problem(500, 'internal', { request_id: 'r-1' }), code: 'internal', message: /Request r-1/ },
  ]
  for (const { answer, code, message } of answers) {
    const server = await standIn(t, () => answer)
    await t.rejects(new LedgerClient({ apiUrl: server.url }).stats(), { code, message, errors: [] })
  }
})

const foreign = [
  { status: 401, category: 'unavailable', code: 'not_a_ledger', message: /status 401, but not as a ledger.*--api-url/ },
  { status: 404, category: 'unavailable', code: 'not_a_ledger', message: /status 404, but not as a ledger.*--api-url/ },
  { status: 500, category: 'unavailable', code: 'not_a_ledger', message: /status 500, but not as a ledger.*--api-url/ },
  { status: 413, category: 'too_large', code: 'http_413', message: /status 413\./ },
  { status: 429, category: 'throttled', code: 'http_429', message: /status 429\./ },
  { status: 502, category: 'unavailable', code: 'http_502', message: /status 502\. Try again later/ },
  { status: 503, category: 'unavailable', code: 'http_503', message: /status 503\. Try again later/ },
  { status: 504, category: 'unavailable', code: 'http_504', message: /status 504\. Try again later/ },
]
for (const { status, ...expected } of foreign) {
  t.test(`status ${status} in a form that is not a ledger's is reported as ${expected.code}`, async t => {
    for (const page of [
      { status, type: 'text/html', body: '<h1>No</h1>' },
      { status, body: { detail: 'No' } },
    ]) {
      const server = await standIn(t, () => page)
      const client = new LedgerClient({ apiUrl: server.url })
      await t.rejects(client.stats(), { category: expected.category, code: expected.code })
      if (page.type) await t.rejects(client.health(), expected)
    }
  })
}

t.test('the error has the wait of Retry-After', async t => {
  const server = await standIn(t, () => ({ status: 429, headers: { 'retry-after': '7' }, body: { code: 'busy' } }))
  await t.rejects(new LedgerClient({ apiUrl: server.url }).stats(), {
    category: 'throttled',
    code: 'busy',
    retryAfterSeconds: 7,
  })
})

t.test('a server that is not a ledger is recognised', async t => {
  const answers = [
    { type: 'text/html', body: '<html>' },
    { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    { status: 200 },
  ]
  for (const answer of answers) {
    const server = await standIn(t, () => answer)
    await t.rejects(new LedgerClient({ apiUrl: server.url }).stats(), { category: 'unavailable', code: 'not_a_ledger' })
    t.equal(server.arrived.length, 1, 'a redirect is not followed')
  }
  const server = await standIn(t, () => ({ type: 'application/json', body: '{"cut":' }))
  const answer = await new LedgerClient({ apiUrl: server.url }).deliveries()
  t.throws(() => answer.json(), { code: 'not_a_ledger' })
})
