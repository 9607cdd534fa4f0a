import type { Test } from 'tap'
import t from 'tap'
import { ADAPTERS } from '../../../src/platforms/adapters.js'
import { type Row, readRows, twinsOf } from '../rows.js'
import { type Served, type ServeOptions, serve } from '../serve.js'

const rows = ({ request }: Served): Promise<Row[]> => readRows(request)
/** These need a login even in an open ledger. */
const NEEDS_LOGIN = new Set<Row['access']>(['logout', 'account', 'admin', 'copy'])

/** The status of a request, without waiting for the end of a stream. */
async function status(
  served: Served,
  { method, path }: Pick<Row, 'method' | 'path'>,
  headers: Record<string, string>,
): Promise<string> {
  const given = { host: 'localhost', 'content-length': '0', connection: 'close', ...headers }
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`)
  const verb = method === 'GET' ? 'HEAD' : method
  return (await served.raw(`${verb} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)).slice(9, 12)
}

const start = (t: Test, options: ServeOptions = {}) => serve(t, { adapters: ADAPTERS, ...options })

t.test('the route table has exactly the documented routes', async t => {
  const served = await start(t)
  t.same((await rows(served)).map(({ method, path }) => `${method} ${path}`).sort(), [
    'DELETE /api/consumers/x',
    'DELETE /api/consumers/x/dead-letters',
    'DELETE /api/consumers/x/dead-letters/x',
    'DELETE /api/me/sessions',
    'DELETE /api/me/sessions/x',
    'DELETE /api/me/token',
    'DELETE /api/me/tokens/x',
    'DELETE /api/sources/x',
    'DELETE /api/subscriptions/x',
    'DELETE /api/users/x',
    'DELETE /api/users/x/sessions',
    'DELETE /api/users/x/sessions/x',
    'DELETE /api/users/x/token',
    'DELETE /api/users/x/tokens/x',
    'GET /',
    'GET /api/cards',
    'GET /api/consumers',
    'GET /api/consumers/x',
    'GET /api/consumers/x/dead-letters',
    'GET /api/consumers/x/events',
    'GET /api/deliveries',
    'GET /api/events',
    'GET /api/events/x',
    'GET /api/events/x/story',
    'GET /api/export',
    'GET /api/facets',
    'GET /api/health',
    'GET /api/histogram',
    'GET /api/me/sessions',
    'GET /api/me/tokens',
    'GET /api/openapi.json',
    'GET /api/platforms',
    'GET /api/presets',
    'GET /api/reconciliations',
    'GET /api/schema/event',
    'GET /api/schema/subscription',
    'GET /api/session',
    'GET /api/sources',
    'GET /api/sources/x',
    'GET /api/stats',
    'GET /api/stream',
    'GET /api/subscriptions',
    'GET /api/subscriptions/x',
    'GET /api/users',
    'GET /api/users/log',
    'GET /api/users/x/sessions',
    'GET /api/users/x/tokens',
    'GET /assets/shared/icon.svg',
    'GET /consumers',
    'GET /deliveries',
    'GET /docs',
    'GET /livez',
    'GET /login',
    'GET /login/assets/login.css',
    'GET /metrics',
    'GET /people',
    'GET /readyz',
    'GET /sources',
    'GET /subscriptions',
    'GET /webhooks/in/x',
    'PATCH /api/users/x',
    'POST /api/backups',
    'POST /api/captures',
    'POST /api/consumers/x/ack',
    'POST /api/consumers/x/dead-letters/retry',
    'POST /api/consumers/x/dead-letters/x/retry',
    'POST /api/consumers/x/seek',
    'POST /api/copy',
    'POST /api/copy/state',
    'POST /api/erasures',
    'POST /api/events',
    'POST /api/history',
    'POST /api/login',
    'POST /api/logout',
    'POST /api/me/password',
    'POST /api/me/token',
    'POST /api/promotion',
    'POST /api/reconciliations',
    'POST /api/reconciliations/run',
    'POST /api/sources/x/read',
    'POST /api/sources/x/remap',
    'POST /api/sources/x/test',
    'POST /api/subscriptions',
    'POST /api/subscriptions/preview',
    'POST /api/users',
    'POST /api/users/x/token',
    'POST /api/verify',
    'POST /webhooks/chat',
    'POST /webhooks/code_a',
    'POST /webhooks/code_b',
    'POST /webhooks/forum',
    'POST /webhooks/in/x',
    'POST /webhooks/in/x/v1/logs',
    'PUT /api/consumers/x',
    'PUT /api/sources/x',
  ])
})

t.test('under a name that is not of this machine every row is refused, however its path is written', async t => {
  const served = await start(t)
  for (const row of await rows(served)) {
    for (const path of twinsOf(row.path)) {
      const answer = await status(served, { ...row, path }, { host: 'rebound.example:8765' })
      t.equal(answer, '403', `${row.method} ${path}`)
    }
  }
})

t.test('a page of another origin is refused on every route, however the path is written', async t => {
  const served = await start(t)
  for (const row of await rows(served)) {
    // The credential is checked before the origin.
    const refused = NEEDS_LOGIN.has(row.access) ? '401' : '403'
    const origins = ['https://elsewhere.example', 'null', `http://localhost:${served.port}.elsewhere.example`]
    for (const path of twinsOf(row.path)) {
      for (const origin of path === row.path ? origins : origins.slice(0, 1)) {
        const answer = await status(served, { ...row, path }, { origin })
        t.equal(answer, refused, `${row.method} ${path} ${origin}`)
      }
      const write = row.method !== 'GET'
      const crossSite = await status(served, { ...row, path }, { 'sec-fetch-site': 'cross-site' })
      t.equal(crossSite === refused, write || refused === '401', `${row.method} ${path} cross-site`)
    }
  }
})

t.test('our own pages, and clients that are not pages, are admitted', async t => {
  const served = await start(t, { settings: { publicUrl: 'https://Events.example.org/book' } })
  const row = { method: 'GET', path: '/api/stats' }
  for (const host of ['localhost', 'LOCALHOST:8765', '127.0.0.1:1', '127.8.9.10', '[::1]:8765', '[::1]']) {
    t.equal(await status(served, row, { host }), '200', host)
    t.equal(await status(served, row, { host, origin: `http://${host.toLowerCase()}` }), '200', `origin of ${host}`)
  }
  t.equal(await status(served, row, { host: 'localhost:80', origin: 'http://localhost' }), '200', 'default port')
  t.equal(await status(served, row, { origin: 'https://events.example.org' }), '200', 'the public address')
  t.equal(await status(served, row, { origin: 'http://events.example.org' }), '403', 'another scheme')
  t.equal(await status(served, row, { host: 'localhost:1', origin: 'http://localhost:2' }), '403', 'another port')
  for (const host of ['localhost.example', '127.0.0.1.example', '128.0.0.1', '0.0.0.0', '[::2]', 'localhost.']) {
    t.equal(await status(served, row, { host }), '403', host)
  }
})

t.test('an open ledger under any host name still refuses foreign pages', async t => {
  const served = await start(t, { settings: { allowOpen: true } })
  const row = { method: 'GET', path: '/api/stats' }
  t.equal(await status(served, row, { host: 'ledger.lan:8765' }), '200')
  t.equal(await status(served, row, { host: 'ledger.lan:8765', origin: 'http://ledger.lan:8765' }), '200')
  t.equal(await status(served, row, { host: 'ledger.lan:8765', origin: 'http://elsewhere.example' }), '403')
})

t.test('HEAD returns the answer of GET without a body', async t => {
  const served = await start(t)
  for (const { method, path } of await rows(served)) {
    if (method !== 'GET' || path === '/api/stream') continue
    const get = await served.request(path)
    const head = await served.request(path, { method: 'HEAD' })
    t.same({ status: head.status, text: head.text }, { status: get.status, text: '' }, path)
    for (const name of ['content-type', 'cache-control', 'content-security-policy']) {
      t.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    }
    if (path !== '/metrics') t.equal(head.headers.get('content-length'), get.headers.get('content-length'), path)
  }
})

t.test('another method is 405 and OPTIONS is 204, both with Allow and without permissions for pages', async t => {
  const { request } = await start(t)
  const cases = [
    { path: '/api/events', allow: 'GET, HEAD, POST, OPTIONS' },
    { path: '/api/events/x', allow: 'GET, HEAD, OPTIONS' },
    { path: '/API/Subscriptions/x/', allow: 'GET, HEAD, DELETE, OPTIONS' },
    { path: '/webhooks/code_a', allow: 'POST, OPTIONS' },
  ]
  for (const { path, allow } of cases) {
    const refused = await request(path, { method: 'PUT' })
    t.match(refused, { status: 405, body: { code: 'method_not_allowed', detail: /PUT/ } }, path)
    const asked = await request(path, { method: 'OPTIONS', headers: { origin: 'https://elsewhere.example' } })
    t.match({ status: asked.status, text: asked.text }, { status: 204, text: '' })
    for (const answer of [refused, asked]) {
      t.equal(answer.headers.get('allow'), allow)
      t.notOk([...answer.headers.keys()].some(name => name.startsWith('access-control')))
    }
  }
  t.match(await request('/webhooks/code_a'), { status: 405 })
  t.match(await request('/api/nothing', { method: 'OPTIONS' }), { status: 404 })
})

t.test('a route that is not in the table is 404', async t => {
  const { raw } = await start(t)
  const paths = [
    '/nothing',
    '/api',
    '/api//events',
    '//api/events',
    '/api/events;x',
    '/api/%65vents',
    '/api/openapiXjson',
  ]
  for (const path of [...paths, '/x/../api/events', '/webhooks/code_c', '/api/events/a/b', '/assets/../index.html']) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/, path)
  }
})

t.test('every answer has its own request id and the security headers', async t => {
  const { request, post } = await start(t)
  const answers = [
    await request('/api/events'),
    await request('/'),
    await request('/assets/shared/icon.svg'),
    await request('/metrics'),
    await request('/nothing'),
    await request('/api/events', { method: 'PUT' }),
    await request('/api/events', { method: 'OPTIONS' }),
    await post('/api/events', '{'),
  ]
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')))
  t.equal(ids.size, answers.length)
  for (const { headers } of answers) {
    t.match(Object.fromEntries(headers), {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': /^default-src 'none';.*frame-ancestors 'none'/,
    })
  }
  for (const index of [0, 1, 3, 4, 7]) t.equal(answers[index]?.headers.get('cache-control'), 'no-store')
})

t.test('under a root path, every route is below it, and no route is outside it', async t => {
  const { request, post } = await start(t, { settings: { rootPath: '/book' } })
  t.match(await request('/book/api/health'), { status: 200 })
  t.match(await post('/book/api/events', { kind: 'a.b', subject_type: 'a', subject_id: '1' }), { status: 201 })
  t.match(await request('/book/api/events/api%3Aa.b%3Aa%3A1'), { status: 200, body: { kind: 'a.b' } })
  for (const path of ['/api/health', '/', '/bookapi/health', '/book/book/api/health']) {
    t.match(await request(path), { status: 404 }, path)
  }
  const { body } = await request('/book/api/openapi.json')
  t.match(body, { servers: [{ url: '/book' }] })
})
