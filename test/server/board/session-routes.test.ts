import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { sealToken } from '../../../src/gate/cookie-envelope.js'
import { newSecret } from '../../../src/login/new-secret.js'
import { API_KEY, AUTH_SECRET, EXECUTOR_TOKEN, GateRig, PASSWORD } from '../../gate/gate-rig.js'
import { type RawAnswer, valuesOf } from '../closed-ledger.js'
import { serveGate } from './gate-server.js'

const ALL = { password: PASSWORD, apiKey: API_KEY, executorToken: EXECUTOR_TOKEN }
const RIGHT = { password: PASSWORD }
const ANONYMOUS = { authenticated: false, csrf_token: null }

const said = ({ status, body }: RawAnswer) => [status, body.code ?? null]

t.test('a login returns a CSRF token and sets one cookie, and a logout ends both', async t => {
  const { send, port } = await serveGate(t)
  const { status, headers, body } = await send('/api/login', { method: 'POST', body: RIGHT })
  t.equal(status, 200)
  t.match(body.csrf_token, /^[A-Za-z0-9_-]{43}$/)
  t.same(body, { authenticated: true, csrf_token: body.csrf_token })
  t.match(valuesOf(headers, 'set-cookie'), [
    /^board_session=v2\.[A-Za-z0-9_-]{43}\.[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/,
  ])
  t.equal(valuesOf(headers, 'set-cookie').length, 1)
  t.same(valuesOf(headers, 'cache-control'), ['no-store'])
  t.same(valuesOf(headers, 'strict-transport-security'), [])

  const Cookie = valuesOf(headers, 'set-cookie')[0]?.split(';', 1)[0] ?? ''
  const session = await send('/api/session', { headers: { Cookie } })
  t.same([session.status, session.body], [200, body])
  t.same(valuesOf(session.headers, 'cache-control'), ['no-store'])
  t.same(valuesOf(session.headers, 'set-cookie'), [])
  t.same(said(await send('/api/things', { headers: { Cookie } })), [200, null])

  const write = { Cookie, Origin: `http://127.0.0.1:${port}`, 'X-CSRF-Token': String(body.csrf_token) }
  t.same(said(await send('/api/logout', { method: 'POST', headers: { Cookie } })), [403, 'origin_not_allowed'])
  const { 'X-CSRF-Token': _, ...withoutCsrf } = write
  t.same(said(await send('/api/logout', { method: 'POST', headers: withoutCsrf })), [403, 'csrf_failed'])
  const left = await send('/api/logout', { method: 'POST', headers: write })
  t.same([left.status, left.body], [200, ANONYMOUS])
  t.same(valuesOf(left.headers, 'set-cookie'), ['board_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
  t.same((await send('/api/session', { headers: { Cookie } })).body, ANONYMOUS)
  t.same(said(await send('/api/things', { headers: { Cookie } })), [401, 'unauthenticated'])
  t.same(said(await send('/api/logout', { method: 'POST', headers: write })), [401, 'unauthenticated'])
})

t.test('a cookie is the same below a root path, and is limited to TLS if configured', async t => {
  const { send, logIn } = await serveGate(t, { rootPath: '/board', cookieSecure: true })
  const { headers } = await send('/board/api/login', { method: 'POST', body: RIGHT })
  t.match(valuesOf(headers, 'set-cookie'), [/^board_session=v2[^;]*; Path=\/; HttpOnly; SameSite=Lax; Secure$/])
  t.same(valuesOf(headers, 'strict-transport-security'), ['max-age=31536000'])
  const { write } = await logIn()
  const left = await send('/board/api/logout', { method: 'POST', headers: write })
  t.same(valuesOf(left.headers, 'set-cookie'), ['board_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure'])
})

t.test('four flags describe what the board requires, in every mode', async t => {
  const cases = [
    { secrets: {}, enabled: false, key: false, login: [404, 'password_login_disabled'], page: /shell/, read: 200 },
    {
      secrets: { apiKey: API_KEY },
      enabled: false,
      key: true,
      login: [404, 'password_login_disabled'],
      page: /shell/,
      read: 401,
    },
    {
      secrets: { password: PASSWORD },
      enabled: true,
      key: false,
      login: [200, null],
      page: /type="password"/,
      read: 401,
    },
    { secrets: ALL, enabled: true, key: true, login: [200, null], page: /type="password"/, read: 401 },
  ]
  for (const { secrets, enabled, key, login, page, read } of cases) {
    const { send } = await serveGate(t, { secrets, settings: { username: 'ada' } })
    const status = { enabled, authenticated: false, username_required: enabled, api_token_enabled: key }
    const auth = await send('/api/auth')
    t.same([auth.status, auth.body], [200, status])
    const byKey = await send('/api/auth', { headers: { 'X-Board-Token': API_KEY } })
    t.same(byKey.body, { ...status, authenticated: key })
    t.same((await send('/api/session')).body, ANONYMOUS)
    t.same((await send('/api/session', { headers: { Authorization: `Bearer ${API_KEY}` } })).body, ANONYMOUS)
    t.same(said(await send('/api/login', { method: 'POST', body: { ...RIGHT, username: 'ada' } })), login)
    const root = await send('/')
    t.equal(root.status, 200)
    t.match(root.text, page)
    t.equal((await send('/api/things')).status, read)
  }
})

t.test('a board without credentials admits only this machine and its own page', async t => {
  const { send, port } = await serveGate(t, { secrets: { executorToken: EXECUTOR_TOKEN } })
  for (const path of ['/', '/api/things', '/api/auth', '/api/session', '/auth-assets/login.css']) {
    const rebound = await send(path, { headers: { Host: `rebound.example:${port}` } })
    t.same(said(rebound), [403, 'host_not_allowed'], path)
    const foreign = await send(path, { headers: { Origin: 'https://evil.example' } })
    t.same(said(foreign), [403, 'origin_not_allowed'], path)
    t.equal((await send(path, { headers: { Host: `localhost:${port}` } })).status, 200)
    t.equal((await send(path, { headers: { Origin: `http://127.0.0.1:${port}` } })).status, 200)
  }
  const run = (headers: Record<string, string>) => send('/api/execution', { method: 'POST', headers })
  t.same(said(await run({})), [403, 'executor_denied'])
  t.same(said(await run({ 'X-Board-Executor-Token': EXECUTOR_TOKEN })), [200, null])
  t.same(said(await run({ 'X-Board-Token': EXECUTOR_TOKEN })), [403, 'executor_denied'], 'in the wrong header')
})

t.test('a login from a foreign page is refused before it is read', async t => {
  const { send, port, rig } = await serveGate(t, { settings: { serviceOrigin: 'https://board.example.org' } })
  const own = `http://127.0.0.1:${port}`
  const cases: [headers: Record<string, string>, status: number][] = [
    [{}, 200],
    [{ Origin: own }, 200],
    [{ Origin: 'https://board.example.org' }, 200],
    [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ 'Sec-Fetch-Mode': 'cors' }, 200],
    [{ Referer: `${own}/` }, 200],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: '' }, 403],
    [{ Origin: own.replace('http:', 'https:') }, 403],
    [{ Origin: `${own}.evil.example` }, 403],
    [{ Origin: `${own}/` }, 403],
    [{ Origin: `${own}, ${own}` }, 403],
    [{ Origin: own.toUpperCase() }, 403],
    [{ Origin: 'http://127.0.0.1' }, 403],
    [{ Origin: `http://localhost:${port}` }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ Referer: 'https://evil.example/' }, 403],
    [{ Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }, 403],
    [{ Origin: 'https://evil.example', Forwarded: 'host=evil.example;proto=https' }, 403],
    [{ Origin: 'https://evil.example', 'X-Original-Host': 'evil.example', 'X-Host': 'evil.example' }, 403],
  ]
  for (const [headers, status] of cases) {
    const before = rig.database.sessions.count()
    const answer = await send('/api/login', { method: 'POST', headers, body: RIGHT })
    t.equal(answer.status, status, JSON.stringify(headers))
    if (status === 403) t.equal(answer.body.code, 'origin_not_allowed')
    t.equal(rig.database.sessions.count() - before, status === 200 ? 1 : 0)
    t.equal(valuesOf(answer.headers, 'set-cookie').length, status === 200 ? 1 : 0)
    t.same(valuesOf(answer.headers, 'access-control-allow-origin'), [])
  }
  const twice = `POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${own}\r\nOrigin: ${own}\r\nConnection: close\r\n\r\n`
  t.match(await (await serveGate(t)).raw(twice), /^HTTP\/1\.1 400 /)
})

t.test('a login is JSON of at most 4 KiB', async t => {
  const { send } = await serveGate(t)
  const post = (body: unknown, headers = {}) => send('/api/login', { method: 'POST', body, headers })
  t.same(said(await post('{"password":')), [400, 'invalid_json'])
  t.same(said(await post('')), [400, 'invalid_json'])
  t.same(said(await post('[]')), [400, 'invalid_json'])
  t.same(said(await post({})), [400, 'invalid_field'])
  t.same(said(await post({ password: PASSWORD, username: 'a', account: 'b' })), [400, 'invalid_field'])
  t.same(said(await post({ ...RIGHT, more: 'x'.repeat(4096) })), [413, 'body_too_large'])
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', '']) {
    t.same(said(await post(JSON.stringify(RIGHT), { 'Content-Type': type })), [415, 'unsupported_media_type'])
  }
  t.same(said(await post({ password: 'wrong' })), [401, 'invalid_credentials'])
  t.same(said(await send('/api/login')), [405, 'method_not_allowed'])
})

t.test('a second login with a session follows the rules of every write', async t => {
  const { send, logIn, rig } = await serveGate(t)
  const { cookie, write } = await logIn()
  const again = (headers: Record<string, string>) => send('/api/login', { method: 'POST', headers, body: RIGHT })
  t.same(said(await again({ Cookie: cookie })), [403, 'origin_not_allowed'])
  t.same(said(await again({ ...write, 'X-CSRF-Token': 'x' })), [403, 'csrf_failed'])
  t.same(said(await send('/api/things', { headers: { Cookie: cookie } })), [200, null])
  t.same(said(await again(write)), [200, null])
  t.equal(rig.database.sessions.count(), 1)
  t.same(said(await again({ Cookie: cookie })), [200, null], 'a cookie that is over is none')
})

t.test('writes by cookie need Origin and CSRF token on every method, writes by key neither', async t => {
  const { send, logIn, port } = await serveGate(t, { secrets: ALL })
  const { cookie, csrfToken, write } = await logIn()
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const act = async (headers: Record<string, string>) => said(await send('/api/things', { method, headers }))
    t.same(await act({}), [401, 'unauthenticated'])
    t.same(await act({ Cookie: cookie }), [403, 'origin_not_allowed'])
    t.same(await act({ Cookie: cookie, 'X-CSRF-Token': csrfToken }), [403, 'origin_not_allowed'])
    t.same(await act({ ...write, 'X-CSRF-Token': '' }), [403, 'csrf_failed'])
    t.same(await act({ ...write, Origin: 'https://evil.example' }), [403, 'origin_not_allowed'])
    t.same(await act({ Cookie: cookie, Authorization: 'Bearer wrong' }), [403, 'origin_not_allowed'])
    t.same(await act({ Cookie: cookie, 'X-Board-Token': 'wrong' }), [403, 'origin_not_allowed'])
    t.same(await act(write), [200, null])
    for (const key of [{ Authorization: `bearer ${API_KEY}` }, { 'X-Board-Token': API_KEY }]) {
      t.same(await act(key), [200, null])
      t.same(await act({ ...key, Cookie: cookie, Origin: 'https://evil.example' }), [200, null])
    }
    t.same(await act({ 'X-Board-Token': API_KEY, Authorization: 'Bearer wrong' }), [200, null])
    t.same(await act({ Authorization: API_KEY }), [401, 'unauthenticated'])
    t.same(await act({ Authorization: `Basic ${API_KEY}` }), [401, 'unauthenticated'])
    t.same(await act({ 'X-Api-Key': API_KEY, 'X-Event-Admin-Token': API_KEY }), [401, 'unauthenticated'])
  }
  const overridden = { ...write, Origin: 'null', 'X-HTTP-Method-Override': 'GET' }
  t.same(said(await send('/api/things', { method: 'POST', headers: overridden })), [403, 'origin_not_allowed'])
  t.same(said(await send(`/api/things?api_key=${API_KEY}`)), [401, 'unauthenticated'])
  const doubled = [
    `Cookie: ${cookie}\r\nX-CSRF-Token: ${csrfToken}\r\nX-CSRF-Token: ${csrfToken}`,
    `X-Board-Token: ${API_KEY}\r\nX-Board-Token: wrong`,
    `Authorization: Bearer wrong\r\nAuthorization: Bearer ${API_KEY}`,
  ]
  const { raw } = await serveGate(t, { secrets: ALL })
  for (const lines of doubled) {
    const head = `POST /api/things HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines}\r\nConnection: close\r\n\r\n`
    t.match(await raw(head), /^HTTP\/1\.1 400 [\s\S]*duplicate_header/)
  }
})

t.test('real execution also needs the executor token, and every refusal is identical', async t => {
  const { send, logIn } = await serveGate(t, { secrets: ALL })
  const { cookie, write } = await logIn()
  const run = (headers: Record<string, string>) => send('/api/execution', { method: 'POST', headers })
  const executor = { 'X-Board-Executor-Token': EXECUTOR_TOKEN }
  t.same(said(await run(executor)), [401, 'unauthenticated'])
  t.same(said(await run({ Authorization: `Bearer ${EXECUTOR_TOKEN}` })), [401, 'unauthenticated'])
  t.same(said(await run({ ...executor, Cookie: cookie })), [403, 'origin_not_allowed'])
  const refusals = new Set<string>()
  for (const outer of [write, { 'X-Board-Token': API_KEY }]) {
    for (const shown of [
      {},
      ...['wrong', '', API_KEY, `${EXECUTOR_TOKEN}x`].map(token => ({ 'X-Board-Executor-Token': token })),
      { 'X-Board-Backend-Executor-Token': EXECUTOR_TOKEN },
    ]) {
      const answer = await run({ ...outer, ...shown })
      t.same(said(answer), [403, 'executor_denied'], JSON.stringify(shown))
      refusals.add(answer.text)
    }
    t.same(said(await run({ ...outer, ...executor })), [200, null])
  }
  t.equal(refusals.size, 1)
  const off = await serveGate(t, { secrets: { apiKey: API_KEY } })
  const answer = await off.send('/api/execution', {
    method: 'POST',
    headers: { 'X-Board-Token': API_KEY, ...executor },
  })
  t.same(said(answer), [403, 'executor_disabled'])
})

t.test('a changed cookie is refused over the wire', async t => {
  const { raw, logIn, rig, port } = await serveGate(t)
  const { cookie } = await logIn()
  const [name = '', value = ''] = cookie.split('=')
  const [version = '', token = '', hmac = ''] = value.split('.')
  const hostile = new Set<string>()
  for (let at = 0; at < value.length; at++) {
    for (const other of ['A', '0', '.', '%', '"', '\t', '\xa0']) {
      if (value[at] !== other) hostile.add(`${name}=${value.slice(0, at)}${other}${value.slice(at + 1)}`)
    }
    hostile.add(`${name}=${value.slice(0, at)}${value.slice(at + 1)}`)
  }
  const envelopes = [
    ...[`v1.${token}.${hmac}`, `v3.${token}.${hmac}`, `${version}.${token}`, `${token}.${hmac}`, token, hmac, ''],
    ...[`${value}${value}`, `${value}.`, `${value}=`, `${value}%20`, `"${value}"`, value.toUpperCase(), `${value},x`],
    ...[`${version}.${token}=.${hmac}`, encodeURIComponent(`${value} `), sealToken(newSecret(), AUTH_SECRET)],
    ...[sealToken(token, PASSWORD), sealToken(token, ''), `1700000000.${hmac}`, `${version}.${'A'.repeat(43)}.${hmac}`],
  ]
  for (const envelope of envelopes) hostile.add(`${name}=${envelope}`)
  for (const line of [
    `${name}=${value}; ${name}=x`,
    `${name}=; ${name}=${value}`,
    `${name}=${value}\r\nCookie: ${name}=x`,
    `BOARD_SESSION=${value}`,
    `board_session =${value}`,
    `\xa0board_session=${value}`,
    `__Host-board_session=${value}`,
    `event_session=${value}`,
    `xboard_session=${value}`,
    `$Version=1; $board_session=${value}`,
    `${name}==${value}`,
    `a="; ${name}=${value.slice(0, -1)}; "`,
  ]) {
    hostile.add(line)
  }
  const lines = [...hostile]
  t.ok(lines.length > 600)
  const wrong: string[] = []
  const ask = (line: string) => `GET /api/things HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${line}\r\n`
  // Many to a connection, as nothing else depends on it.
  for (let at = 0; at < lines.length; at += 100) {
    const some = lines.slice(at, at + 100)
    const requests = some.map(
      (line, i) => `${ask(line)}Connection: ${i + 1 < some.length ? 'keep-alive' : 'close'}\r\n\r\n`,
    )
    const statuses = (await raw(requests.join(''))).match(/HTTP\/1\.1 \d\d\d/g) ?? []
    t.equal(statuses.length, some.length)
    for (const [i, status] of statuses.entries()) if (status !== 'HTTP/1.1 401') wrong.push(`${status} ${some[i]}`)
  }
  t.same(wrong, [])
  t.match(await raw(`${ask(`a=b;\t${cookie} ; c`)}Connection: close\r\n\r\n`), /^HTTP\/1\.1 200 /)
  t.equal(rig.database.sessions.count(), 1)
})

t.test('a cookie that is expired, revoked or signed with an older key is invalid on every route', async t => {
  const rig = GateRig.open(t, { password: PASSWORD, authSecret: AUTH_SECRET })
  const { send, logIn } = await serveGate(t, { rig, settings: { sessionTtlSeconds: 60 } })
  const shown = async (headers: Record<string, string>) => {
    const things = await send('/api/things', { headers })
    const session = await send('/api/session', { headers })
    const auth = await send('/api/auth', { headers })
    return [things.status, session.body.authenticated, session.body.csrf_token === null, auth.body.authenticated]
  }
  const live = [200, true, false, true]
  const dead = [401, false, true, false]
  const [revoked, rotated] = [await logIn(), await logIn()]
  t.same(await shown(revoked.write), live)
  await send('/api/logout', { method: 'POST', headers: revoked.write })
  t.same(await shown(revoked.write), dead)
  rig.secrets = { password: PASSWORD, authSecret: 'signing-9876543210-dcba' }
  t.same(await shown(rotated.write), dead)
  const { write } = await logIn()
  rig.secrets = { password: 'another one', authSecret: 'signing-9876543210-dcba' }
  t.same(await shown(write), live, 'another password ends nothing where the key is independent')
  rig.secrets = { password: PASSWORD, authSecret: AUTH_SECRET }
  t.same(await shown(write), dead)
  t.same(await shown(rotated.write), dead, 'a session does not come back with its key')
  const over = await logIn()
  t.same(await shown(over.write), live)
  rig.seconds += 60
  t.same(await shown(over.write), dead)
  t.match((await send('/', { headers: over.write })).text, /type="password"/)
})

t.test('the page at the root is the login page until the caller has logged in', async t => {
  const { send, logIn } = await serveGate(t, { secrets: ALL, rootPath: '/board' })
  const { text, headers } = await send('/board/?card=7')
  t.match(text, /data-palette="forest" data-layout="card" data-scheme="dark"/)
  t.match(text, /<h1>Log in to the board<\/h1>/)
  t.match(text, 'action="/board/api/login"')
  t.match(text, 'name="next" value="/board/?card=7"')
  t.notMatch(text, 'name="username"', 'no name is asked for where none is configured')
  t.same(valuesOf(headers, 'cache-control'), ['no-store'])
  t.notMatch(text, /<style| style=| on\w+=|<script(?![^>]* src=)/i)
  const loaded = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address)
  t.same(loaded, ['data:,', '/board/auth-assets/login.css', '/board/auth-assets/login.js'])
  t.match((await send('/board/?next=//evil.example/"><x')).text, 'value="/board/"')
  const { cookie } = await logIn()
  t.match((await send('/board/', { headers: { Cookie: cookie } })).text, /shell/)
  t.match((await send('/board/', { headers: { 'X-Board-Token': API_KEY } })).text, /shell/)
  const named = await serveGate(t, { settings: { username: 'ada' } })
  t.match((await named.send('/')).text, /name="username"/)
})

t.test('the server serves exactly two of the packaged files', async t => {
  const { send } = await serveGate(t)
  const asset = (path: string) =>
    readFileSync(fileURLToPath(new URL(`../../../assets/${path}`, import.meta.url)), 'utf8')
  const style = await send('/auth-assets/login.css')
  t.match(valuesOf(style.headers, 'content-type'), ['text/css; charset=utf-8'])
  t.equal(style.text, asset('shared/tokens.css') + asset('login/login.css'))
  const script = await send('/auth-assets/login.js')
  t.match(valuesOf(script.headers, 'content-type'), ['text/javascript; charset=utf-8'])
  t.equal(script.text, asset('login/login.js'))
  t.same(valuesOf(script.headers, 'x-content-type-options'), ['nosniff'])
  const [etag = ''] = valuesOf(script.headers, 'etag')
  t.equal((await send('/auth-assets/login.js', { headers: { 'If-None-Match': etag } })).status, 304)
  const names = [
    ...['', '.', '..', 'login', 'login.html', 'index.html', 'icon.svg', 'tokens.css', 'login.ts', 'login.js.map'],
    ...['LOGIN.CSS', 'login.css%00', 'login.css;x', 'login%2ecss', 'login%2Ejs', '%6cogin.js', '..%2flogin.css', '%zz'],
    ...['login.css%2f', 'login.css/x', '..%2f..%2fpackage.json', '%2e%2e%2f%2e%2e%2fpackage.json', '..\\login.css'],
    ...['__proto__', 'constructor', 'toString', 'login.css%20', '%2flogin.css', './login.css', '../login/login.css'],
    ...['../../../../etc/passwd', '..%5c..%5cetc', '%252e%252e%252fpackage.json', '/login.css', 'login.css%3f'],
  ]
  for (const name of names) {
    const answer = await send(`/auth-assets/${name}`)
    t.same(said(answer), [404, 'not_found'], name)
  }
  t.same(said(await send('/auth-assets/login.css', { method: 'POST' })), [405, 'method_not_allowed'])
})

t.test('another spelling of a path does not bypass the gate', async t => {
  const { send } = await serveGate(t)
  for (const path of ['/API/THINGS', '/api/things/', '/api/things?x', '/Api/Things/?/../../']) {
    t.same(said(await send(path)), [401, 'unauthenticated'], path)
  }
  for (const path of ['/api//things', '//api/things', '/x/../api/things', '/api/%74hings', '/api/things;x']) {
    t.same(said(await send(path)), [404, 'not_found'], path)
  }
  t.equal((await send('/api/things', { method: 'HEAD' })).status, 401)
  t.equal((await send('/api/things', { method: 'OPTIONS' })).status, 204)
})

t.test('a forwarded address counts failed logins only for callers behind a listed proxy', async t => {
  const settings = { throttleLogins: true }
  const listed = await serveGate(t, { settings, trustedProxies: ['127.0.0.1'] })
  const attempt = (server: typeof listed, address: string, password: string) =>
    server.send('/api/login', { method: 'POST', headers: { 'X-Forwarded-For': address }, body: { password } })
  for (let i = 0; i < 10; i++) t.equal((await attempt(listed, '198.51.100.1', 'wrong')).status, 401)
  const refused = await attempt(listed, '198.51.100.1', PASSWORD)
  t.same(said(refused), [429, 'too_many_attempts'])
  t.match(valuesOf(refused.headers, 'retry-after'), [/^[1-9]\d*$/])
  t.equal((await attempt(listed, '198.51.100.2', PASSWORD)).status, 200)
  const direct = await serveGate(t, { settings })
  for (let i = 0; i < 10; i++) t.equal((await attempt(direct, `198.51.100.${i}`, 'wrong')).status, 401)
  t.equal((await attempt(direct, '198.51.100.77', PASSWORD)).status, 429)
})

t.test('hundreds of wrong keys and tokens from one address lock out neither key nor token', async t => {
  const { send } = await serveGate(t, { secrets: ALL, settings: { throttleLogins: true } })
  const execute = (headers: Record<string, string>) => send('/api/execution', { method: 'POST', headers })
  const key = { 'X-Board-Token': API_KEY }
  const wrong = [
    ...Array.from({ length: 100 }, (_, i) => () => send('/api/things', { headers: { 'X-Board-Token': `guess ${i}` } })),
    ...Array.from({ length: 100 }, (_, i) => () => execute({ ...key, 'X-Board-Executor-Token': `guess ${i}` })),
  ]
  for (const [tried, ask] of wrong.entries()) {
    const answer = await ask()
    t.same(said(answer), tried < 10 ? [401, 'unauthenticated'] : [429, 'too_many_attempts'])
    if (tried >= 10) t.match(valuesOf(answer.headers, 'retry-after'), [/^[1-9]\d?$/])
  }
  t.equal((await send('/api/things', { headers: key })).status, 200)
  t.equal((await execute({ ...key, 'X-Board-Executor-Token': EXECUTOR_TOKEN })).status, 200)
})

t.test('a board with the maximum number of sessions refuses a login, with the time to retry', async t => {
  const { send, rig } = await serveGate(t)
  await rig.fill(1023)
  const answers = await Promise.all([1, 2, 3].map(() => send('/api/login', { method: 'POST', body: RIGHT })))
  t.same(answers.map(({ status }) => status).sort(), [200, 503, 503])
  for (const answer of answers.filter(({ status }) => status === 503)) {
    t.equal(answer.body.code, 'capacity')
    t.same(valuesOf(answer.headers, 'retry-after'), ['60'])
    t.same(valuesOf(answer.headers, 'set-cookie'), [])
  }
})

t.test('no log contains a credential of the board', async t => {
  const { send, logIn, log } = await serveGate(t, { secrets: ALL, settings: { username: 'ada' } })
  const { cookie, csrfToken, write } = await logIn()
  await send(`/api/things?key=${API_KEY}`, { headers: { 'X-Board-Token': API_KEY } })
  await send('/api/execution', { method: 'POST', headers: { ...write, 'X-Board-Executor-Token': EXECUTOR_TOKEN } })
  await send('/api/login', { method: 'POST', body: { username: 'typed-by-mistake', password: 'wrong-password' } })
  await send('/api/logout', { method: 'POST', headers: write })
  const lines = log.join('')
  t.match(lines, '/api/execution')
  const secrets = [PASSWORD, API_KEY, EXECUTOR_TOKEN, cookie.slice(14), csrfToken, 'typed-by-mistake', 'wrong-password']
  for (const secret of secrets) t.notMatch(lines, secret)
})
