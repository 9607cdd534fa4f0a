import t from 'tap'
import { PASSWORD } from '../../accounts/accounts-rig.js'
import { BY_ADMIN_TOKEN, type Headers, readAnswer, sendRaw, serveClosed, valuesOf } from '../closed-ledger.js'
import { serve } from '../serve.js'

const ledger = await serveClosed(t)
const { send, mia } = ledger
const logIn = (body: unknown, headers: Headers = {}, query = '') =>
  send(`/api/login${query}`, { method: 'POST', headers, body })
const RIGHT = { username: 'mia', password: PASSWORD }

t.test('the answer to a login has the user, a CSRF token and the next path, and sets one cookie', async t => {
  const { status, headers, body } = await logIn(RIGHT)
  t.equal(status, 200)
  const { id, username, role } = mia
  t.match(body.csrf_token, /^[A-Za-z0-9_-]{43}$/)
  t.same(body, {
    admin_required: true,
    authenticated: true,
    user: { id, username, role },
    is_bootstrap_admin: false,
    csrf_token: body.csrf_token,
    next: '/',
  })
  const [cookie = '', ...others] = valuesOf(headers, 'set-cookie')
  t.same(others, [])
  t.match(cookie, /^event_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  t.same(valuesOf(headers, 'cache-control'), ['no-store'])
  t.same(valuesOf(headers, 'strict-transport-security'), [])

  const Cookie = cookie.split(';', 1)[0] ?? ''
  const session = await send('/api/session', { headers: { Cookie } })
  const { next: _, ...asBefore } = body
  t.same(session.body, asBefore)
  t.same(valuesOf(session.headers, 'set-cookie'), [])
})

t.test(
  'the redirect target comes from the body, or else from the query, and is always a path of this server',
  async t => {
    const cases: [body: object, query: string, next: string][] = [
      [{ next: '/api/stats?x=1#y' }, '', '/api/stats?x=1#y'],
      [{}, '?next=%2Fapi%2Fstats', '/api/stats'],
      [{}, '?next=/api/stats&other=1', '/api/stats'],
      [{ next: '/a' }, '?next=/b', '/a'],
      [{ next: '//evil.example' }, '?next=/b', '/'],
      [{ next: null }, '?next=/b', '/'],
      [{}, '?next=/a&next=/b', '/'],
      [{}, '?next=/.//evil.example', '/'],
      [{}, '?next=https://evil.example', '/'],
      [{}, '?next=%ff', '/'],
      [{}, '?next=%', '/'],
      [{}, '?next', '/'],
      [{}, '?%', '/'],
      ...[['/a'], { a: 1 }, 7, true, '', '\\evil', '/\\evil', '/%2f/evil', `/${'a'.repeat(2048)}`].map(
        (next): [object, string, string] => [{ next }, '', '/'],
      ),
    ]
    for (const [members, query, next] of cases) {
      const answer = await logIn({ ...RIGHT, ...members }, {}, query)
      t.match(answer, { status: 200, body: { next } }, `${JSON.stringify(members).slice(0, 60)} ${query}`)
    }
  },
)

t.test('a wrong name, a wrong password and a disabled user get the same answer', async t => {
  const off = await ledger.accounts.createUser({ username: 'off', password: PASSWORD })
  await ledger.accounts.updateUser(off.id, { enabled: false })
  const answers = []
  for (const [username, password] of [
    ['mia', 'wrong'],
    ['nobody', PASSWORD],
    ['off', PASSWORD],
    ['', ''],
    ['m\u0456a', PASSWORD],
    ['mia\0', PASSWORD],
    ["' or 1=1 --", PASSWORD],
    ['__proto__', PASSWORD],
  ]) {
    answers.push(await logIn({ username, password }))
  }
  for (const { status, headers, text } of answers) {
    t.match({ status, code: JSON.parse(text).code }, { status: 401, code: 'invalid_credentials' })
    t.equal(text, answers[0]?.text)
    t.same(valuesOf(headers, 'set-cookie'), [])
    t.same(valuesOf(headers, 'www-authenticate'), ['Bearer'])
  }
  t.match(await logIn({ username: 'MIA', password: PASSWORD }), { status: 200 }, 'names have no case')
})

t.test('a malformed login is refused', async t => {
  for (const body of [[], [RIGHT], null, 7, 'text', true]) {
    const sent = JSON.stringify(body)
    t.match(await logIn(sent), { status: 400, body: { code: 'invalid_json' } }, sent)
  }
  const members = [{}, { username: 'mia' }, { password: PASSWORD }]
  const types = [{ username: 7 }, { username: ['mia'] }, { username: { $ne: '' } }, { username: null }, { password: 7 }]
  for (const body of [...members, ...types.map(wrong => ({ ...RIGHT, ...wrong }))]) {
    const sent = JSON.stringify(body)
    t.match(await logIn(sent), { status: 400, body: { code: 'invalid_field' } }, sent)
  }
  for (const text of ['', '{', '{"username":"mia"', 'username=mia', '\u0000', '{"username":"mia",}', '[1', 'nul']) {
    t.match(await logIn(text), { status: 400, body: { code: 'invalid_json' } }, JSON.stringify(text))
  }
  const long = { ...RIGHT, password: 'x'.repeat(1025) }
  t.match(await logIn(long), { status: 400, body: { code: 'invalid_field', errors: [{ field: '/password' }] } })
  t.match(await logIn({ ...RIGHT, password: `${RIGHT.password}\0` }), { status: 400, body: { code: 'invalid_field' } })
  const lone = '{"username":"mia","password":"\\ud800"}'
  t.match(await logIn(lone), { status: 400, body: { code: 'invalid_field' } })
})

t.test('a login that is not JSON is refused before it is read', async t => {
  const form = 'username=mia&password=x'
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', '']) {
    const answer = await logIn(form, { 'Content-Type': type })
    t.match(answer, { status: 415, body: { code: 'unsupported_media_type' } }, type)
  }
  const sent = JSON.stringify(RIGHT)
  t.match(await logIn(sent, { 'Content-Type': 'text/plain' }), { status: 415 }, 'though it be JSON')
  t.match(await logIn(sent, { 'Content-Type': 'application/json; charset=latin1' }), { status: 415 })
  t.match(await logIn(sent, { 'Content-Type': 'application/json\xa0' }), { status: 415 }, 'a blank of another kind')
  t.match(await logIn(sent, { 'Content-Encoding': 'deflate' }), { status: 415 })
  t.match(await logIn(sent, { 'Content-Type': 'Application/JSON; charset=UTF-8' }), { status: 200 })
})

t.test('a login of more than 4 KiB is refused before it is read', async t => {
  const derived = ledger.rig.derived.length
  const long = JSON.stringify({ ...RIGHT, next: 'x'.repeat(5 * 1024) })
  const tooLarge = { status: 413, body: { code: 'body_too_large', detail: /4 KiB/ } }
  t.match(await logIn(long), tooLarge)
  const head = 'POST /api/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n'
  const unsent = await ledger.raw(`${head}Content-Length: 1000000000\r\n\r\n`)
  t.match(readAnswer(unsent), tooLarge, 'it is not waited for')
  const chunk = `${(5 * 1024).toString(16)}\r\n${'x'.repeat(5 * 1024)}\r\n`
  t.match(readAnswer(await ledger.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`)), tooLarge)
  t.equal(ledger.rig.derived.length, derived, 'nothing was hashed')
})

t.test('a browser that logs in again has only the new session', async t => {
  const first = await ledger.logIn(mia)
  const again = await logIn(RIGHT, { Cookie: first.cookie })
  t.equal(again.status, 200, 'without a CSRF token')
  const [line = ''] = valuesOf(again.headers, 'set-cookie')
  const cookie = line.split(';', 1)[0] ?? ''
  t.not(cookie, first.cookie)
  t.not(again.body.csrf_token, first.csrfToken)
  t.match(await send('/api/stats', { headers: { Cookie: first.cookie } }), { status: 401 })
  t.match(await send('/api/stats', { headers: { Cookie: cookie } }), { status: 200 })

  const { status } = await logIn({ ...RIGHT, password: 'wrong' }, { Cookie: cookie })
  t.equal(status, 401)
  t.match(await send('/api/stats', { headers: { Cookie: cookie } }), { status: 200 }, 'a failed login ends nothing')
})

t.test('a login does not adopt a planted session cookie', async t => {
  const planted = `event_session=${'A'.repeat(43)}`
  const { headers } = await logIn(RIGHT, { Cookie: planted })
  t.notOk(valuesOf(headers, 'set-cookie').some(line => line.startsWith(planted)))
  t.match(await send('/api/stats', { headers: { Cookie: planted } }), { status: 401 })
})

t.test('a logout ends the session and the cookie', async t => {
  const { headers, cookie } = await ledger.logIn(mia)
  const { status, text, headers: answered } = await send('/api/logout', { method: 'POST', headers })
  t.same({ status, text }, { status: 204, text: '' })
  t.same(valuesOf(answered, 'set-cookie'), ['event_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
  t.match(await send('/api/stats', { headers: { Cookie: cookie } }), { status: 401 })
  t.match(await send('/api/logout', { method: 'POST', headers }), { status: 401 }, 'and only once')
})

t.test('a user changes its own password, and this browser stays logged in with another cookie', async t => {
  const { id } = await ledger.accounts.createUser({ username: 'eve', password: PASSWORD })
  const eve = { ...mia, id, username: 'eve' }
  const [own, other] = [await ledger.logIn(eve), await ledger.logIn(eve)]
  const change = (members: object, headers: Headers = own.headers) => {
    const body = { current_password: PASSWORD, password: 'a dozen purple umbrellas', ...members }
    return send('/api/me/password', { method: 'POST', headers, body })
  }
  t.match(await change({}, { Cookie: own.cookie }), { status: 403, body: { code: 'csrf_failed' } })
  t.match(await change({}, BY_ADMIN_TOKEN), { status: 409, body: { code: 'no_account' } })
  t.match(await change({}, {}), { status: 401 })
  const wrong = await change({ current_password: 'a wrong one' })
  t.match(wrong, { status: 403, body: { code: 'wrong_password', errors: [{ field: '/current_password' }] } })
  t.match(await change({ password: 'eve' }), { status: 400, body: { errors: [{ field: '/password' }] } })
  t.match(await change({ role: 'admin' }), { status: 400 })

  const { status, headers, body } = await change({})
  t.match({ status, body }, { status: 200, body: { csrf_token: /^[\w-]{43}$/ } })
  const [line = '', ...others] = valuesOf(headers, 'set-cookie')
  t.same(others, [])
  t.match(line, /^event_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const renewed = { Cookie: line.split(';', 1)[0] ?? '', 'X-CSRF-Token': String(body.csrf_token) }
  for (const { headers } of [own, other]) t.match(await send('/api/stats', { headers }), { status: 401 })
  t.match(await send('/api/me/token', { method: 'POST', headers: renewed }), { status: 201 })
  t.match(await logIn({ username: 'eve', password: PASSWORD }), { status: 401 })
  const byToken = await change({ current_password: 'a dozen purple umbrellas' }, await ledger.byToken(eve))
  t.match(byToken, { status: 200, body: { csrf_token: null } })
  t.same(valuesOf(byToken.headers, 'set-cookie'), [])
  t.match(await send('/api/stats', { headers: renewed }), { status: 401 })
})

t.test('every caller can query its own identity', async t => {
  const nobody = {
    admin_required: true,
    authenticated: false,
    user: null,
    is_bootstrap_admin: false,
    csrf_token: null,
  }
  const { id, username, role } = mia
  const user = { id, username, role }
  const cases: [Headers, object][] = [
    [{}, nobody],
    [{ Cookie: `event_session=${'A'.repeat(43)}` }, nobody],
    [{ Authorization: 'Bearer x' }, nobody],
    [await ledger.byToken(mia), { ...nobody, authenticated: true, user }],
    [BY_ADMIN_TOKEN, { ...nobody, authenticated: true, is_bootstrap_admin: true }],
  ]
  for (const [headers, body] of cases) {
    const answer = await send('/api/session', { headers })
    t.match(answer, { status: 200 })
    t.same(answer.body, body)
  }
  const open = await sendRaw(await serve(t), '/api/session')
  t.same(open.body, { ...nobody, admin_required: false })
})

t.test('behind TLS, the cookie has the __Host- prefix, and answers have Strict-Transport-Security', async t => {
  const settings = { cookieSecure: true, rootPath: '/book' }
  const served = await serve(t, { accounts: ledger.accounts, settings })
  const { status, headers, body } = await sendRaw(served, '/book/api/login', { method: 'POST', body: RIGHT })
  t.match({ status, next: body.next }, { status: 200, next: '/book/' })
  const [cookie = ''] = valuesOf(headers, 'set-cookie')
  t.match(cookie, /^__Host-event_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  const Cookie = cookie.split(';', 1)[0] ?? ''
  const stats = await sendRaw(served, '/book/api/stats', { headers: { Cookie } })
  t.equal(stats.status, 200)
  t.match(await sendRaw(served, '/book/api/stats', { headers: { Cookie: Cookie.replace('__Host-', '') } }), {
    status: 401,
  })
  const pages = [await sendRaw(served, '/book/login'), await sendRaw(served, '/book/assets/shared/icon.svg')]
  for (const answer of [stats, ...pages, await sendRaw(served, '/nothing')]) {
    t.same(valuesOf(answer.headers, 'strict-transport-security'), ['max-age=31536000'])
  }
  const leave = { method: 'POST', headers: { Cookie, 'X-CSRF-Token': String(body.csrf_token) } }
  const left = await sendRaw(served, '/book/api/logout', leave)
  t.same(valuesOf(left.headers, 'set-cookie'), [
    '__Host-event_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
  ])
})

t.test('below a root path, the cookie is limited to that path', async t => {
  const served = await serve(t, { accounts: ledger.accounts, settings: { rootPath: '/book' } })
  const ask = (next: string) => sendRaw(served, '/book/api/login', { method: 'POST', body: { ...RIGHT, next } })
  const { headers, body } = await ask('/book/api/stats')
  t.match(valuesOf(headers, 'set-cookie'), [/; Path=\/book; HttpOnly/])
  t.equal(body.next, '/book/api/stats')
  for (const next of ['/', '/bookshop', '/api/stats']) t.match((await ask(next)).body, { next: '/book/' })
})

t.test(
  'too many failures of a name and address are throttled, by the forwarded address behind a listed proxy',
  async t => {
    const accounts = await ledger.rig.start({ throttleLogins: true })
    const served = await serve(t, { accounts, settings: { trustedProxies: ['127.0.0.1'] } })
    const fail = (address: string, password = 'wrong') =>
      sendRaw(served, '/api/login', {
        method: 'POST',
        headers: { 'X-Forwarded-For': `203.0.113.9, ${address}` },
        body: { username: 'mia', password },
      })
    for (let i = 0; i < 10; i++) t.equal((await fail('198.51.100.1')).status, 401)
    const { status, headers, body } = await fail('198.51.100.1', PASSWORD)
    t.match({ status, body }, { status: 429, body: { code: 'too_many_attempts' } })
    t.match(valuesOf(headers, 'retry-after'), [/^[1-9]\d*$/])
    t.equal((await fail('198.51.100.2', PASSWORD)).status, 200)

    const direct = await serve(t, { accounts })
    const spoof = (address: string) =>
      sendRaw(direct, '/api/login', {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: { username: 'otto', password: 'wrong' },
      })
    for (let i = 0; i < 10; i++) t.equal((await spoof(`198.51.100.${i}`)).status, 401)
    t.equal((await spoof('198.51.100.77')).status, 429, 'no trusted proxy sent the header')
  },
)
