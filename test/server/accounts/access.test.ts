import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { ADAPTERS } from '../../../src/platforms/adapters.js'
import type { Access } from '../../../src/server/http/route.js'
import { AccountsRig, PASSWORD } from '../../accounts/accounts-rig.js'
import { until } from '../../support/until.js'
import {
  ADMIN_TOKEN,
  BY_ADMIN_TOKEN,
  type ClosedLedger,
  type Headers,
  type RawAnswer,
  readAnswer,
  sendRaw,
  serveClosed,
  valuesOf,
} from '../closed-ledger.js'
import { OPEN_ACCOUNTS } from '../open-accounts.js'
import { type Row, readRows, twinsOf } from '../rows.js'
import { serve } from '../serve.js'

const ledger = await serveClosed(t, {
  adapters: ADAPTERS,
  settings: { publicUrl: 'https://Events.example.org:443/book' },
})

const FORGED = `Bearer tok_${'A'.repeat(43)}`

type Outcome = 'in' | 401 | 403

/** The callers that each access admits in a ledger with users. */
const EXPECTED: Record<Access, Record<'anonymous' | 'member' | 'admin', Outcome>> = {
  public: { anonymous: 'in', member: 'in', admin: 'in' },
  optional_login: { anonymous: 'in', member: 'in', admin: 'in' },
  record: { anonymous: 'in', member: 'in', admin: 'in' },
  webhook: { anonymous: 'in', member: 'in', admin: 'in' },
  login: { anonymous: 'in', member: 'in', admin: 'in' },
  read: { anonymous: 401, member: 'in', admin: 'in' },
  write: { anonymous: 401, member: 'in', admin: 'in' },
  logout: { anonymous: 401, member: 'in', admin: 'in' },
  account: { anonymous: 401, member: 'in', admin: 'in' },
  admin: { anonymous: 401, member: 403, admin: 'in' },
  copy: { anonymous: 401, member: 403, admin: 'in' },
  local: { anonymous: 403, member: 403, admin: 403 },
}

/** The routes that a read-only token of an admin may use. */
const FOR_READERS: Record<Row['access'], Outcome> = {
  public: 'in',
  optional_login: 'in',
  webhook: 'in',
  login: 'in',
  read: 'in',
  record: 403,
  write: 403,
  logout: 403,
  account: 403,
  admin: 403,
  copy: 403,
  local: 403,
}

/** Rows that change something for a logged-in user: a session needs its CSRF token for them. */
const rows = await readRows(ledger.request, BY_ADMIN_TOKEN)
const writes = rows.filter(({ method, access }) => method !== 'GET' && EXPECTED[access].anonymous === 401)

function outcomeOf({ status }: RawAnswer): Outcome {
  return status === 401 || status === 403 ? status : 'in'
}

/** Without a body, so that an admitted request changes as little as possible. The test does not wait for streams. */
const sendRow = ({ method, path }: Pick<Row, 'method' | 'path'>, headers: Headers) =>
  ledger.send(path, { method: method === 'GET' ? 'HEAD' : method, headers })

t.test('every row of the table admits the callers that its access allows, however its path is written', async t => {
  const mia = await ledger.byToken(ledger.mia)
  const ada = await ledger.byToken(ledger.ada)
  const { token } = await ledger.accounts.tokens.issue(ledger.ada.id, undefined, { may: 'read' })
  const reader = { Authorization: `Bearer ${token}` }
  for (const row of rows) {
    const name = `${row.method} ${row.path}`
    const asReader = await sendRow(row, reader)
    t.equal(outcomeOf(asReader), FOR_READERS[row.access], `${name} with a read-only token`)
    const answers = {
      anonymous: await sendRow(row, {}),
      // Some of these rows revoke the token that they were asked with.
      member: await sendRow(row, row.access === 'account' ? await ledger.byToken(ledger.otto) : mia),
      admin: await sendRow(row, row.access === 'account' ? BY_ADMIN_TOKEN : ada),
    }
    for (const [who, answer] of Object.entries(answers)) {
      t.equal(outcomeOf(answer), EXPECTED[row.access][who as keyof typeof answers], `${name} as ${who}`)
      t.ok(answer.status < 500, `${name} as ${who} is not a failure`)
    }
    const challenge = valuesOf(answers.anonymous.headers, 'www-authenticate')
    t.same(challenge, answers.anonymous.status === 401 ? ['Bearer'] : [], `${name} names the missing credential`)
    for (const path of twinsOf(row.path).slice(1)) {
      const outcomeFor = async (headers: Headers) => outcomeOf(await sendRow({ ...row, path }, headers))
      t.equal(await outcomeFor({}), EXPECTED[row.access].anonymous, `${row.method} ${path}`)
      if (EXPECTED[row.access].member === 403) t.equal(await outcomeFor(mia), 403, `${row.method} ${path} as member`)
      if (FOR_READERS[row.access] === 403)
        t.equal(await outcomeFor(reader), 403, `${row.method} ${path} with a read-only token`)
    }
  }
})

t.test('invalid credentials, and those in the wrong place, count as absent', async t => {
  const { authorization = '' } = lowerCased(await ledger.byToken(ledger.ada))
  const token = authorization.slice('Bearer '.length)
  const { cookie } = await ledger.logIn(ledger.ada)
  const none: Headers[] = [
    { Authorization: FORGED },
    { Authorization: token },
    { Authorization: `Basic ${token}` },
    { Authorization: `Bearer ${token} x` },
    { Authorization: `Bearer ${token}x` },
    { Authorization: `Bearer${token}` },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer ' },
    { Authorization: `Bearer ${ADMIN_TOKEN}` },
    { Authorization: `Bearer ${cookie.split('=')[1]}` },
    { 'X-Event-Admin-Token': '' },
    { 'X-Event-Admin-Token': `${ADMIN_TOKEN}x` },
    { 'X-Event-Admin-Token': token },
    { 'X-Api-Token': token },
    { Cookie: `event_session=${token}` },
    { Cookie: `event_session=${ADMIN_TOKEN}` },
    { Cookie: 'event_session=' },
    { Cookie: `event_session="${cookie.split('=')[1]}"` },
    { Cookie: `__Host-${cookie}` },
    { Cookie: cookie.toUpperCase() },
    { Cookie: `${cookie}; event_session=${'B'.repeat(43)}` },
  ]
  for (const headers of none) {
    t.match(await ledger.send('/api/stats', { headers }), { status: 401 }, JSON.stringify(headers))
  }
  t.match(await ledger.send(`/api/stats?access_token=${token}`), { status: 401 })
  for (const headers of [
    { Authorization: authorization },
    { Authorization: `bearer ${token}` },
    { Authorization: `BEARER  ${token}` },
    BY_ADMIN_TOKEN,
    { Cookie: cookie },
    { Cookie: `a=b; ${cookie} ;c` },
    { Cookie: `${cookie}; ${cookie}` },
    { Authorization: FORGED, Cookie: cookie },
    { Authorization: FORGED, ...BY_ADMIN_TOKEN },
  ]) {
    t.match(await ledger.send('/api/stats', { headers }), { status: 200 }, JSON.stringify(headers))
  }
})

t.test('hundreds of wrong tokens from one address are throttled, and lock out no valid one', async t => {
  const { send, byToken, logIn, mia } = await serveClosed(t, { settings: { throttleLogins: true } })
  const right = await byToken(mia)
  const { cookie } = await logIn(mia)
  const wrong: Headers[] = Array.from({ length: 100 }, (_, i) => [
    { Authorization: `Bearer tok_${String(i).padStart(43, 'x')}` },
    { 'X-Event-Admin-Token': `guess ${i}` },
  ]).flat()
  for (const [tried, headers] of wrong.entries()) {
    const answer = await send(tried % 3 === 0 ? '/api/session' : '/api/events', { headers })
    if (tried < 10) t.equal(answer.status, tried % 3 === 0 ? 200 : 401)
    else t.match(answer, { status: 429, body: { code: 'too_many_attempts' } })
    if (tried >= 10) t.match(valuesOf(answer.headers, 'retry-after'), [/^[1-9]\d?$/])
  }
  for (const headers of [right, BY_ADMIN_TOKEN, { Cookie: cookie }, { ...right, 'X-Event-Admin-Token': 'wrong' }]) {
    t.equal((await send('/api/events', { headers })).status, 200, Object.keys(headers).join())
  }
  t.equal((await send('/api/events')).status, 401, 'no token is not a wrong one')
})

t.test('when callers behind an untrusted proxy are throttled, the log reports the proxy once', async t => {
  const show = (served: ClosedLedger, forwardedFor: string, token: string) =>
    served.send('/api/events', { headers: { 'X-Forwarded-For': forwardedFor, 'X-Event-Admin-Token': token } })
  const said = ({ log }: ClosedLedger) => log.filter(({ msg }) => String(msg).includes('EVENT_TRUSTED_PROXIES'))
  const shared = await serveClosed(t, { settings: { throttleLogins: true } })
  for (let i = 0; i < 10; i++) t.equal((await show(shared, `198.51.100.${i}`, 'wrong')).status, 401)
  t.same(said(shared), [], 'no caller is throttled yet')
  for (let i = 0; i < 5; i++) t.equal((await show(shared, `198.51.100.${i}`, 'wrong')).status, 429)
  t.match(said(shared), [{ level: 40, address: '127.0.0.1' }])
  t.equal(said(shared).length, 1)

  const alone = await serveClosed(t, { settings: { throttleLogins: true } })
  for (let i = 0; i < 15; i++) await show(alone, '198.51.100.1', 'wrong')
  t.same(said(alone), [], 'one caller is not a sign of a proxy')
  const trusted = await serveClosed(t, { settings: { throttleLogins: true, trustedProxies: ['127.0.0.1'] } })
  for (let i = 0; i < 30; i++) t.equal((await show(trusted, `198.51.100.${i % 3}`, 'wrong')).status, 401)
  t.equal((await show(trusted, '198.51.100.1', 'wrong')).status, 429)
  t.same(said(trusted), [])
})

t.test('a session cannot make a change without its own CSRF token', async t => {
  const other = await ledger.logIn(ledger.ada)
  for (const row of writes) {
    const { cookie, csrfToken } = await ledger.logIn(ledger.ada)
    const name = `${row.method} ${row.path}`
    const wrong: Headers[] = [
      {},
      { 'X-CSRF-Token': '' },
      { 'X-CSRF-Token': 'x' },
      { 'X-CSRF-Token': csrfToken.slice(1) },
      { 'X-CSRF-Token': other.csrfToken },
      { 'X-CSRF-Token': cookie.split('=')[1] ?? '' },
      { 'CSRF-Token': csrfToken },
      { Authorization: FORGED },
      { 'X-Event-Admin-Token': 'wrong' },
    ]
    for (const headers of row === writes[0] ? wrong : [{}, ...wrong.slice(3, 6)]) {
      const answer = await ledger.send(row.path, { method: row.method, headers: { Cookie: cookie, ...headers } })
      t.match(answer, { status: 403, body: { code: 'csrf_failed' } }, `${name} ${JSON.stringify(headers)}`)
    }
    for (const headers of [{}, { Authorization: FORGED }]) {
      const right = { Cookie: cookie, 'X-CSRF-Token': csrfToken, ...headers }
      if (row.access !== 'logout')
        t.equal(outcomeOf(await sendRow(row, right)), row.access === 'copy' ? 403 : 'in', name)
    }
  }
})

t.test('a token and the admin token need no CSRF token, even with a session', async t => {
  const { cookie } = await ledger.logIn(ledger.mia)
  for (const row of writes) {
    for (const beside of [{ Cookie: cookie }, { 'X-CSRF-Token': 'wrong' }]) {
      for (const headers of [await ledger.byToken(ledger.ada), BY_ADMIN_TOKEN]) {
        const answer = await sendRow(row, { ...headers, ...beside })
        t.equal(outcomeOf(answer), 'in', `${row.method} ${row.path}`)
        t.ok(answer.status < 500)
      }
    }
  }
})

t.test('pages of another origin are refused, with every credential', async t => {
  const own = [undefined, `http://127.0.0.1:${ledger.port}`, 'https://events.example.org']
  const foreign = [
    'null',
    '',
    'https://elsewhere.example',
    `https://127.0.0.1:${ledger.port}`,
    'http://127.0.0.1',
    'http://events.example.org',
    'https://events.example.org:8443',
    'https://events.example.org.elsewhere.example',
    `http://127.0.0.1:${ledger.port}/`,
    `http://127.0.0.1:${ledger.port}, https://elsewhere.example`,
    'HTTPS://EVENTS.EXAMPLE.ORG',
  ]
  const session = await ledger.logIn(ledger.ada)
  const sameSite = [undefined, 'same-origin', 'same-site', 'none'] as const
  const credentials: Headers[] = [session.headers, await ledger.byToken(ledger.ada), BY_ADMIN_TOKEN]
  const save = { method: 'POST', body: { source: 'chat' } }
  for (const shown of credentials) {
    for (const origin of [...own, ...foreign]) {
      const isOwn = own.includes(origin)
      // Requests by token in fewer ways: the same comparison decides them.
      for (const site of shown === session.headers ? [...sameSite, 'cross-site'] : [undefined, 'cross-site']) {
        const headers = {
          ...shown,
          ...(origin === undefined ? {} : { Origin: origin }),
          ...(site === undefined ? {} : { 'Sec-Fetch-Site': site }),
        }
        const name = `${Object.keys(shown)} ${origin} ${site}`
        const read = await ledger.send('/api/stats', { headers })
        t.match(read, isOwn ? { status: 200 } : { status: 403, body: { code: 'origin_not_allowed' } }, `read ${name}`)
        const write = await ledger.send('/api/subscriptions', { ...save, headers })
        const mayWrite = isOwn && site !== 'cross-site'
        t.match(write, mayWrite ? { status: 201 } : { status: 403, body: { code: 'origin_not_allowed' } }, name)
      }
    }
  }
})

t.test('a login is accepted from our own pages and from clients that are not pages', async t => {
  const attempt = { method: 'POST', body: { username: 'ada', password: PASSWORD } }
  const cases: [Headers, number][] = [
    [{}, 200],
    [{ Origin: `http://127.0.0.1:${ledger.port}`, 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'https://elsewhere.example' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
  ]
  for (const [headers, status] of cases) {
    const answer = await ledger.send('/api/login', { ...attempt, headers })
    t.equal(answer.status, status, JSON.stringify(headers))
    t.equal(valuesOf(answer.headers, 'set-cookie').length, status === 200 ? 1 : 0)
  }
})

t.test('a webhook delivery is accepted with any identity', async t => {
  const { headers } = await ledger.logIn(ledger.mia)
  const token = await ledger.byToken(ledger.mia)
  ledger.rig.asked.length = 0
  for (const shown of [{}, { Cookie: headers.Cookie ?? '' }, token, { Authorization: FORGED }]) {
    for (const origin of ['http://events.example.org', 'https://events.example.org']) {
      const given = { ...shown, Origin: origin, Host: 'events.example.org' }
      t.match(await ledger.send('/webhooks/code_a', { method: 'POST', headers: given, body: {} }), { status: /^[24]/ })
    }
  }
  await ledger.send('/api/health', { headers })
  await ledger.send('/login', { headers })
  t.same(ledger.rig.asked, [], 'the store was asked nothing')
})

t.test('identifying a caller takes one read of the store', async t => {
  const { headers } = await ledger.logIn(ledger.mia)
  const token = await ledger.byToken(ledger.mia)
  await ledger.send('/api/stats', { headers: token })
  for (const shown of [headers, token]) {
    ledger.rig.asked.length = 0
    t.match(await ledger.send('/api/stats', { headers: shown }), { status: 200 })
    t.equal(ledger.rig.asked.length, 1, `${ledger.rig.asked}`)
  }
  ledger.rig.asked.length = 0
  for (const shown of [{}, BY_ADMIN_TOKEN]) await ledger.send('/api/stats', { headers: shown })
  t.same(ledger.rig.asked, [])
})

t.test('a session has the current rights of its user, not those at the login', async t => {
  const eve = await ledger.accounts.createUser({ username: 'eve', password: PASSWORD, role: 'admin' })
  const session = await ledger.logIn(eve)
  const token = await ledger.byToken(eve)
  const statuses = async (path: string) =>
    Promise.all([session.headers, token].map(async headers => (await ledger.send(path, { headers })).status))
  t.same(await statuses('/api/users'), [200, 200])
  await ledger.accounts.updateUser(eve.id, { role: 'member' })
  t.same(await statuses('/api/users'), [403, 403])
  t.same(await statuses('/api/stats'), [200, 200])
  await ledger.accounts.updateUser(eve.id, { enabled: false })
  t.same(await statuses('/api/stats'), [401, 401])
  await ledger.accounts.updateUser(eve.id, { enabled: true })
  t.same(await statuses('/api/stats'), [401, 200], 'its sessions ended, its tokens did not')
  await ledger.accounts.deleteUser(eve.id)
  t.same(await statuses('/api/stats'), [401, 401])
})

t.test('a repeated header with a credential is refused', async t => {
  const { authorization = '' } = lowerCased(await ledger.byToken(ledger.ada))
  const { cookie, csrfToken } = await ledger.logIn(ledger.ada)
  const twice = [
    `Authorization: ${authorization}\r\nAuthorization: ${authorization}`,
    `Authorization: ${FORGED}\r\nauthorization: ${authorization}`,
    `X-Event-Admin-Token: ${ADMIN_TOKEN}\r\nX-Event-Admin-Token: ${ADMIN_TOKEN}`,
    `Cookie: ${cookie}\r\nX-CSRF-Token: ${csrfToken}\r\nX-CSRF-Token: ${csrfToken}`,
    `Cookie: ${cookie}\r\nOrigin: http://localhost\r\nOrigin: http://localhost`,
  ]
  for (const lines of twice) {
    const text = `GET /api/stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n\r\n`
    t.match(readAnswer(await ledger.raw(text)), { status: 400, body: { code: 'duplicate_header' } }, lines)
  }
  const twoCookies = `Cookie: a=b\r\nCookie: ${cookie}`
  const text = `GET /api/stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${twoCookies}\r\n\r\n`
  t.match(readAnswer(await ledger.raw(text)), { status: 200 }, 'a browser may split its cookies')
})

t.test('an invalid Host is refused, and a request without a Host cannot make a change with a cookie', async t => {
  const { cookie, csrfToken } = await ledger.logIn(ledger.ada)
  for (const Host of ['a@evil', '127.0.0.1@evil.example', 'localhost, evil.example', 'evil.example/..', '']) {
    const headers = { Host, Cookie: cookie, 'X-CSRF-Token': csrfToken, Origin: 'http://evil' }
    t.match(await ledger.send('/api/subscriptions', { method: 'POST', headers }), {
      status: 400,
      body: { code: 'bad_host' },
    })
  }
  const old = (method: string, path: string, lines: string[]) =>
    ledger.raw(`${method} ${path} HTTP/1.0\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`).then(readAnswer)
  const withCookie = [`Cookie: ${cookie}`, `X-CSRF-Token: ${csrfToken}`]
  t.match(await old('GET', '/api/stats', withCookie), { status: 200 })
  for (const origin of [[], ['Origin: http://undefined'], ['Origin: http://']]) {
    t.match(await old('DELETE', '/api/subscriptions/x', [...withCookie, ...origin]), {
      status: 403,
      body: { code: 'origin_not_allowed' },
    })
  }
  t.match(await old('DELETE', '/api/subscriptions/x', [`X-Event-Admin-Token: ${ADMIN_TOKEN}`]), { status: 404 })
})

t.test('a ledger with users and without configured host names answers under every name', async t => {
  const headers = { ...BY_ADMIN_TOKEN, Host: 'events.example.org' }
  t.match(await ledger.send('/api/stats', { headers }), { status: 200 })
  t.match(await ledger.send('/api/health', { headers: { Host: 'events.example.org' } }), { status: 200 })
})

t.test('a ledger with users and configured host names answers only under these, on every route', async t => {
  const allowlisted = await serveClosed(t, {
    adapters: ADAPTERS,
    settings: { knownHosts: ['events.example.org', '10.0.0.5'] },
  })
  const stats = (Host: string) => allowlisted.send('/api/stats', { headers: { ...BY_ADMIN_TOKEN, Host } })
  for (const host of [
    'events.example.org',
    'Events.example.org:8443',
    '10.0.0.5:1',
    'localhost',
    `127.0.0.1:${allowlisted.port}`,
  ]) {
    t.match(await stats(host), { status: 200 }, host)
  }
  for (const host of ['elsewhere.example', 'events.example.org.elsewhere.example', '10.0.0.6']) {
    t.match(await stats(host), { status: 421, body: { code: 'bad_host', detail: /EVENT_ALLOWED_HOSTS/ } }, host)
  }
  for (const row of rows) {
    const method = row.method === 'GET' ? 'HEAD' : row.method
    const answer = await allowlisted.send(row.path, { method, headers: { Host: 'elsewhere.example:8765' } })
    t.equal(answer.status, row.access === 'local' ? 403 : 421, `${row.method} ${row.path}`)
  }
  t.match(await allowlisted.raw('GET /api/health HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 421 /, 'a request without Host')
  t.same(allowlisted.ledger.events, [])
})

t.test(
  'an open ledger answers only under names of this machine, and under configured names if it is open to others',
  async t => {
    const statusOf = async (allowOpen: boolean, Host: string) => {
      const served = await serve(t, { settings: { allowOpen, knownHosts: ['ledger.lan'] } })
      return (await sendRaw(served, '/api/stats', { headers: { Host } })).status
    }
    t.equal(await statusOf(false, 'ledger.lan'), 403)
    t.equal(await statusOf(true, 'ledger.lan'), 200)
    t.equal(await statusOf(true, 'elsewhere.example'), 421)
  },
)

t.test('a ledger without users is open to read and watch, not to create the first admin', async t => {
  const rig = await AccountsRig.open(t)
  const accounts = await rig.start()
  const served = await serve(t, { accounts })
  const post = (path: string, body: unknown) => sendRaw(served, path, { method: 'POST', body })
  t.match(await sendRaw(served, '/api/stats'), { status: 200 })
  t.match(await post('/api/subscriptions', { id: 'mine', source: 'chat' }), { status: 201 })
  t.match(await sendRaw(served, '/api/stats', { headers: { Authorization: FORGED } }), { status: 200 })
  const unauthenticated = { status: 401, body: { code: 'unauthenticated' } }
  const admin = { username: 'eve', password: PASSWORD, role: 'admin' }
  const toBeginWith = { status: 401, body: { code: 'unauthenticated', detail: /daybook users create/ } }
  t.match(await post('/api/users', admin), toBeginWith)
  for (const path of [
    '/api/users',
    '/api/me/tokens',
    '/api/me/sessions',
    '/api/users/x/tokens',
    '/api/users/x/sessions',
  ]) {
    t.match(await sendRaw(served, path), unauthenticated, path)
  }
  for (const path of ['/api/me/token', '/api/users/x/token', '/api/logout']) {
    t.match(await post(path, {}), unauthenticated, path)
  }

  const foreignHost = { headers: { Host: 'events.example.org' } }
  t.match(await sendRaw(served, '/api/health', foreignHost), { status: 403, body: { code: 'host_not_allowed' } })
  const { id } = await accounts.createUser(admin)
  t.match(await sendRaw(served, '/api/stats'), unauthenticated, 'from the first user on a login is needed')
  t.match(await sendRaw(served, '/api/health', foreignHost), { status: 200 })
  await accounts.createUser({ ...admin, username: 'ada' })
  await accounts.deleteUser(id)
  t.match(await sendRaw(served, '/api/stats'), unauthenticated)
})

t.test("over the owner's socket every caller is an admin without an account", async t => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const socketPath = join(folder, 'ledger.sock')
  await serve(t, { accounts: ledger.accounts, socketPath })
  const ask = async (method: string, path: string) => {
    const headers = { authorization: FORGED, origin: 'null', connection: 'close' }
    const [response] = await once(httpRequest({ socketPath, method, path, headers }).end(), 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    return { status: response.statusCode, body: text === '' ? {} : JSON.parse(text) }
  }
  t.match(await ask('GET', '/api/users'), { status: 200, body: { count: 3 } })
  t.match(await ask('GET', '/api/session'), { status: 200, body: { is_bootstrap_admin: true, user: null } })
  t.match(await ask('POST', '/api/me/token'), { status: 409, body: { code: 'no_account' } })
})

t.test('a request whose sender disconnects before its identification has no effect', async t => {
  const left = new EventEmitter()
  const identify: typeof OPEN_ACCOUNTS.identify = async () => {
    left.emit('asked')
    await once(left, 'close')
    return { kind: 'open' }
  }
  const { handler, ledger, log } = await serve(t, { accounts: { ...OPEN_ACCOUNTS, identify } })
  const server = createServer((req, res) => {
    res.once('close', () => left.emit('close'))
    handler(req, res)
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(left, 'asked')
  socket.destroy()
  await until(() => log.length > 0)
  t.match(log, [{ path: '/api/events', status: 499 }])
  t.same(ledger.queries, [])
})

t.test('the log names the caller, and contains no credential', async t => {
  const from = ledger.log.length
  const { cookie, csrfToken, headers } = await ledger.logIn(ledger.ada)
  const token = await ledger.byToken(ledger.mia)
  await ledger.send('/api/subscriptions', { method: 'POST', headers, body: { source: 'chat' } })
  await ledger.send('/api/users', { headers: token })
  await ledger.send('/api/users', {
    method: 'POST',
    headers,
    body: { username: 'x', password: 'a-typed-secret', role: 'boss' },
  })
  await ledger.send('/api/users', { method: 'POST', headers: { Cookie: cookie, ...token } })
  await ledger.send('/login?next=/api/x&token=in-the-query', { headers: BY_ADMIN_TOKEN })
  await ledger.send('/api/login?next=in-the-query', { method: 'POST', body: { username: 'typed-here', password: 'y' } })
  await ledger.send('/api/me/token', { method: 'POST', headers })
  await ledger.send('/api/logout', { method: 'POST', headers })
  const lines = ledger.log.slice(from)
  const log = JSON.stringify(lines)
  const bearer = (token.Authorization ?? '').slice('Bearer '.length)
  const secrets = [cookie.split('=')[1] ?? '', csrfToken, bearer, ADMIN_TOKEN, PASSWORD, 'a-typed-secret']
  for (const secret of [...secrets, 'in-the-query', 'typed-here', 'tok_']) t.notOk(log.includes(secret), secret)
  t.match(lines, [
    { level: 30, path: '/api/login', status: 200, identity: 'session', user: 'ada', address: '127.0.0.1' },
    { level: 20, path: '/api/subscriptions', status: 201, user: 'ada' },
    { level: 30, path: '/api/users', status: 403, identity: 'token', user: 'mia', code: 'forbidden' },
    { level: 30, path: '/api/users', status: 400, user: 'ada' },
    { level: 30, path: '/api/users', status: 403, user: 'mia' },
    { level: 20, path: '/login', status: 200 },
    { level: 30, path: '/api/login', status: 401, code: 'invalid_credentials' },
    { level: 30, path: '/api/me/token', status: 201, user: 'ada' },
    { level: 30, path: '/api/logout', status: 204, user: 'ada' },
  ])
})

function lowerCased(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
