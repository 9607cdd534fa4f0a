import t from 'tap'
import { ADAPTERS } from '../../../src/platforms/adapters.js'
import { BY_ADMIN_TOKEN, type Headers, serveClosed, valuesOf } from '../closed-ledger.js'
import { openLedger } from '../consumers/serve-consumers.js'
import { message, serve } from '../serve.js'

const DASH = 'https://dash.example.org'
const PUBLIC = 'https://ledger.example.org'
const settings = { corsOrigins: [DASH, PUBLIC], publicUrl: PUBLIC }
const closed = await serveClosed(t, { settings, adapters: ADAPTERS })
const { send, mia, byToken, logIn } = closed

const header = (headers: [string, string][], name: string) => valuesOf(headers, name)
const PERMISSION = {
  'access-control-allow-origin': [DASH],
  'access-control-expose-headers': ['ETag, Retry-After, X-Request-Id'],
  vary: ['Origin'],
}
const permissionOf = (headers: [string, string][]) =>
  Object.fromEntries(Object.keys(PERMISSION).map(name => [name, header(headers, name)]))
const NONE = { 'access-control-allow-origin': [], 'access-control-expose-headers': [], vary: [] }

t.test('a page of a listed origin reads, records and subscribes with a token, and may read refusals', async t => {
  const token = await byToken(mia)
  const Origin = DASH
  const cross = { Origin, 'Sec-Fetch-Site': 'cross-site' }
  const watch = { source: 'chat', target: 'stream:eng' }
  const asked = [
    await send('/api/events', { headers: { ...token, ...cross } }),
    await send('/api/events', { method: 'POST', headers: { ...token, ...cross }, body: message(1) }),
    await send('/api/subscriptions', { method: 'POST', headers: { ...token, ...cross }, body: watch }),
    await send('/api/events', { headers: cross }),
    await send('/api/events?limit=0', { headers: { ...token, ...cross } }),
    await send('/api/events/none', { headers: { ...token, ...cross } }),
  ]
  t.same(
    asked.map(({ status }) => status),
    [200, 201, 201, 401, 400, 404],
  )
  for (const { headers } of asked) {
    t.same(permissionOf(headers), PERMISSION)
    t.same(header(headers, 'access-control-allow-credentials'), [])
  }
})

t.test('a page of a listed origin reads as a consumer with only a token', async t => {
  const { ledger, now } = await openLedger(t)
  const { send, mia, byToken, logIn } = await serveClosed(t, { settings, ledger, now })
  const token = await byToken(mia)
  const path = '/api/consumers/dash/events'
  const cross = { Origin: DASH, 'Sec-Fetch-Site': 'cross-site' }
  await send('/api/consumers/dash', { method: 'PUT', headers: token, body: {} })
  const foreign = { ...token, ...cross, Origin: 'https://evil.example' }
  t.match(await send(path, { headers: foreign }), { status: 403, body: { code: 'origin_not_allowed' } })
  t.match(await send(path, { headers: { ...(await logIn(mia)).headers, ...cross } }), { status: 401 })
  const { status, headers } = await send(path, { headers: { ...token, ...cross } })
  t.equal(status, 200)
  t.same(permissionOf(headers), PERMISSION)
})

t.test('the session cookie is ignored for a page of a listed origin', async t => {
  const session = await logIn(mia)
  const headers = { ...session.headers, Origin: DASH }
  t.match(await send('/api/events', { headers }), { status: 401 })
  t.match(await send('/api/subscriptions', { method: 'POST', headers, body: {} }), { status: 401 })
  t.match(await send('/api/events', { headers: { ...headers, ...(await byToken(mia)) } }), { status: 200 })
  t.match(await send('/api/events', { headers: { ...headers, Origin: PUBLIC } }), { status: 200 }, 'unlike for our own')
})

t.test('other routes, origins and spellings of origins are not permitted', async t => {
  const token = await byToken(mia)
  const origins = [
    'https://dash.example.org:443',
    'http://dash.example.org',
    `${DASH}/`,
    'null',
    'https://evil.example',
  ]
  for (const Origin of [...origins, DASH.toUpperCase(), `${DASH}.evil.example`]) {
    const { status, headers } = await send('/api/events', { headers: { ...token, Origin } })
    t.equal(status, 403, Origin)
    t.same(permissionOf(headers), NONE, Origin)
  }
  const others: [string, string, Headers][] = [
    ['POST', '/api/login', {}],
    ['GET', '/api/session', {}],
    ['GET', '/api/users', BY_ADMIN_TOKEN],
    ['POST', '/api/me/token', token],
    ['POST', '/webhooks/code_a', {}],
    ['POST', '/api/backups', BY_ADMIN_TOKEN],
    ['GET', '/', token],
  ]
  for (const [method, path, credential] of others) {
    const { status, headers } = await send(path, { method, headers: { ...credential, Origin: DASH }, body: {} })
    t.equal(status, 403, path)
    t.same(permissionOf(headers), NONE, path)
  }
})

t.test('a preflight permits only the methods and headers of its path', async t => {
  const ask = (path: string, headers: Headers = { Origin: DASH }) =>
    send(path, { method: 'OPTIONS', headers: { ...headers, 'Access-Control-Request-Method': 'POST' } })
  const events = await ask('/api/events')
  t.equal(events.status, 204)
  t.same(permissionOf(events.headers), PERMISSION)
  t.same(header(events.headers, 'access-control-allow-methods'), ['GET, POST'])
  t.match(header(events.headers, 'access-control-allow-headers'), [/^Authorization, Content-Type,/])
  t.same(header(events.headers, 'access-control-max-age'), ['600'])
  t.same(header(events.headers, 'access-control-allow-credentials'), [])
  t.same(header((await ask('/API/Subscriptions/x/')).headers, 'access-control-allow-methods'), ['GET, DELETE'])
  const refused = ['/api/login', '/api/users', '/webhooks/code_a', '/api/nothing', '/'].map(path => ask(path))
  for (const { headers } of [
    ...(await Promise.all(refused)),
    await ask('/api/events', { Origin: 'https://evil.example' }),
  ]) {
    t.notOk(headers.some(([name]) => name.startsWith('access-control')))
  }
})

t.test('streams, exports and 304 answers have the permission', async t => {
  const { request, post, url } = await serve(t, { settings })
  const { body } = await post('/api/events', message(1))
  const headers = { Origin: DASH }
  const left = new AbortController()
  const stream = await fetch(`${url}/api/stream`, { headers, signal: left.signal })
  const path = `/api/events/${encodeURIComponent(String(body.dedupe_key))}`
  const etag = (await request(path)).headers.get('etag') ?? ''
  const same = await request(path, { headers: { ...headers, 'If-None-Match': etag } })
  t.equal(same.status, 304)
  for (const answer of [stream, same, await request('/api/export', { headers })]) {
    t.equal(answer.headers.get('access-control-allow-origin'), DASH)
  }
  left.abort()
})
