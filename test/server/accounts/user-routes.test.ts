import t from 'tap'
import { PASSWORD } from '../../accounts/accounts-rig.js'
import { BY_ADMIN_TOKEN, type Headers, sendRaw, serveClosed, valuesOf } from '../closed-ledger.js'
import { serve } from '../serve.js'

const ledger = await serveClosed(t)
const { send, ada, mia } = ledger
const asAdmin = (method: string, path: string, body?: unknown) =>
  send(path, { method, headers: BY_ADMIN_TOKEN, ...(body === undefined ? {} : { body }) })

t.test('a user is created, listed, changed and deleted, and its hash is never shown', async t => {
  const created = await asAdmin('POST', '/api/users', { username: 'New.User', password: PASSWORD })
  const shown = { username: 'New.User', role: 'member', enabled: true }
  t.match(created, { status: 201, body: shown })
  const { id } = created.body
  t.same(Object.keys(created.body).sort(), ['created_at', 'enabled', 'id', 'role', 'updated_at', 'username'])
  const listed = await asAdmin('GET', '/api/users')
  t.match(listed, { status: 200, body: { count: 4, password_min_length: 8 } })
  t.same(
    (listed.body.items as { username: string }[]).map(({ username }) => username),
    ['ada', 'mia', 'New.User', 'otto'],
  )
  const changed = await asAdmin('PATCH', `/api/users/${id}`, { role: 'admin', enabled: false })
  t.match(changed, { status: 200, body: { id, role: 'admin', enabled: false } })
  for (const { text } of [created, listed, changed]) t.notMatch(text, /pbkdf2|hash/)
  t.match(await asAdmin('DELETE', `/api/users/${id}`), { status: 204, text: '' })
  t.match(await asAdmin('DELETE', `/api/users/${id}`), { status: 404, body: { code: 'not_found' } })
  t.match(await asAdmin('PATCH', `/api/users/${id}`, { enabled: true }), { status: 404 })
})

t.test('a malformed user is refused', async t => {
  const user = { username: 'fine', password: PASSWORD }
  t.match(await asAdmin('POST', '/api/users', { ...user, username: 'MIA' }), {
    status: 409,
    body: { code: 'username_taken' },
  })
  const wrong = [
    { username: '' },
    { username: 'a b' },
    { username: 7 },
    { password: 'short' },
    { password: 'Fine' },
    { password: null },
  ]
  for (const members of [...wrong, { role: 'root' }, { password: 'x'.repeat(1025) }, { username: 'm\u0456a' }]) {
    const answer = await asAdmin('POST', '/api/users', { ...user, ...members })
    t.match(answer, { status: 400, body: { code: 'invalid_field' } }, JSON.stringify(members).slice(0, 40))
    t.notMatch(answer.text, /short|xxx/, 'no answer repeats a password')
  }
  for (const body of [[], null, 'x', 7])
    t.match(await asAdmin('POST', '/api/users', JSON.stringify(body)), { status: 400 })
  t.match(await asAdmin('POST', '/api/users', '{'), { status: 400, body: { code: 'invalid_json' } })
  t.match(await asAdmin('PATCH', `/api/users/${mia.id}`, {}), { status: 400 })
  t.match(await asAdmin('PATCH', `/api/users/${mia.id}`, { role: 'root' }), { status: 400 })
  t.match(await asAdmin('POST', '/api/users', { ...user, password: 'x'.repeat(1024 * 1024) }), { status: 413 })
  const form = { method: 'POST', headers: { ...BY_ADMIN_TOKEN, 'Content-Type': 'text/plain' }, body: user }
  t.match(await send('/api/users', form), { status: 415 })
  for (const id of ['%zz', '%00', '..%2f..', '__proto__', 'x'.repeat(5000)]) {
    const { status } = await asAdmin('DELETE', `/api/users/${id}`)
    t.ok([400, 404].includes(status), `${id.slice(0, 20)} ${status}`)
  }
})

t.test('behind a trusted proxy, the account log names the caller, the address and the change', async t => {
  const proxied = await serveClosed(t, { settings: { trustedProxies: ['127.0.0.1'] } })
  const headers = { ...(await proxied.byToken(proxied.ada)), 'X-Forwarded-For': '203.0.113.9, 2001:db8::1' }
  const patch = { method: 'PATCH', headers, body: { enabled: false } }
  const changed = await proxied.send(`/api/users/${proxied.otto.id}`, patch)
  const listed = await proxied.send('/api/users/log?limit=1', { headers })
  t.match(listed, {
    status: 200,
    body: {
      count: 1,
      items: [
        {
          action: 'ledger.user_changed',
          by: { identity: 'token', user: { id: proxied.ada.id, username: 'ada' } },
          user: { id: proxied.otto.id, username: 'otto' },
          changes: { enabled: { from: true, to: false } },
          address: '2001:db8::1',
          request_id: valuesOf(changed.headers, 'x-request-id')[0],
        },
      ],
    },
  })
  t.match(
    proxied.log.find(line => JSON.stringify(line).includes('PATCH')),
    { status: 200, address: '2001:db8::1' },
  )
  for (const limit of ['0', '1001', 'x', '']) {
    const refused = await proxied.send(`/api/users/log?limit=${limit}`, { headers })
    t.match(refused, { status: 400, body: { code: 'invalid_field' } }, limit)
  }
  const asMember = { headers: await proxied.byToken(proxied.mia) }
  t.match(await proxied.send('/api/users/log', asMember), { status: 403 })
})

t.test('without an admin token, the last admin cannot be removed', async t => {
  const accounts = await ledger.rig.start({ throttleLogins: false })
  const served = await serve(t, { accounts })
  const { token } = await accounts.tokens.issue(ada.id)
  const lastAdmin = { status: 409, body: { code: 'last_admin' } }
  const ask = (method: string, body?: unknown) => {
    const request = { method, headers: { Authorization: `Bearer ${token}` }, ...(body ? { body } : {}) }
    return sendRaw(served, `/api/users/${ada.id}`, request)
  }
  t.match(await ask('PATCH', { role: 'member' }), lastAdmin)
  t.match(await ask('PATCH', { enabled: false }), lastAdmin)
  t.match(await ask('DELETE'), lastAdmin)
  t.match(await ask('PATCH', { password: 'another password' }), { status: 200 })
  await accounts.updateUser(ada.id, { password: PASSWORD })
})

t.test('a token is shown once, listed without its secret, and revoked alone or with all others', async t => {
  const { headers } = await ledger.logIn(mia)
  const own = (method: string, path: string) => send(path, { method, headers })
  const each: [string, (method: string, path: string) => ReturnType<typeof send>][] = [
    ['/api/me', own],
    [`/api/users/${mia.id}`, asAdmin],
  ]
  for (const [place, ask] of each) {
    const issued = await ask('POST', `${place}/token`)
    t.match(issued, { status: 201, body: { token: /^tok_[A-Za-z0-9_-]{43}$/ } })
    t.same(valuesOf(issued.headers, 'cache-control'), ['no-store'])
    t.same(Object.keys(issued.body).sort(), [
      ...['created_at', 'expires_at', 'id', 'may', 'name', 'prefix', 'sources', 'token'],
    ])
    const other = await ask('POST', `${place}/token`)
    const shown: Headers = { Authorization: `Bearer ${issued.body.token}` }
    t.match(await send('/api/session', { headers: shown }), { body: { user: { id: mia.id } } })
    const listed = await ask('GET', `${place}/tokens`)
    t.match(listed, { status: 200, body: { count: 2, items: [{ id: issued.body.id, prefix: issued.body.prefix }] } })
    for (const { token } of [issued.body, other.body]) t.notOk(listed.text.includes(String(token)))
    t.match(await ask('DELETE', `${place}/tokens/${issued.body.id}`), { status: 204 })
    t.match(await ask('DELETE', `${place}/tokens/${issued.body.id}`), { status: 404 })
    t.match(await send('/api/stats', { headers: shown }), { status: 401 })
    t.match(await ask('DELETE', `${place}/token`), { status: 204 })
    t.match(await ask('GET', `${place}/tokens`), { body: { items: { length: 0 }, count: 0 } })
  }
  t.match(await asAdmin('POST', '/api/users/nobody/token'), { status: 404 })
  t.match(await asAdmin('GET', '/api/users/nobody/tokens'), { status: 404 })
  t.match(await asAdmin('GET', '/api/users/%zz/tokens'), { status: 400, body: { code: 'invalid_path' } })
})

t.test('a writer token is issued for named sources, and a mistyped request gives no token', async t => {
  const { headers } = await ledger.logIn(mia)
  for (const [place, shown] of [
    ['/api/me', headers],
    [`/api/users/${mia.id}`, BY_ADMIN_TOKEN],
  ] as const) {
    const issue = (body: unknown) => send(`${place}/token`, { method: 'POST', headers: shown, body })
    t.match(await issue({ may: 'write', sources: ['ci', 'deploy'] }), {
      status: 201,
      body: { may: 'write', sources: ['ci', 'deploy'] },
    })
    const name = 'x'.repeat(64)
    t.match(await issue({ name, expires_at: '2031-05-04T09:00:00+02:00' }), {
      status: 201,
      body: { may: 'all', name, expires_at: '2031-05-04T07:00:00.000000Z' },
    })
    for (const body of ['', {}, { may: 'all' }, { name: null, expires_at: null }]) {
      t.match(await issue(body), { status: 201, body: { may: 'all', sources: { length: 0 } } }, JSON.stringify(body))
    }
    const { body: before } = await send(`${place}/tokens`, { headers: shown })
    const refusals: [unknown, string, code?: string][] = [
      [[], '', 'invalid_json'],
      [{ may: 'reads' }, '/may'],
      [{ may: 'read', sources: ['ci'] }, '/sources'],
      ...['', ' ', 7, 'x'.repeat(65), 'a\nb', 'a\u202eb', '\ud800'].map((name): [unknown, string] => [
        { name },
        '/name',
      ]),
      ...[7, '2020-01-01T00:00:00Z'].map((expires_at): [unknown, string] => [{ expires_at }, '/expires_at']),
      ...['', '2031-05-04'].map((expires_at): [unknown, string, string] => [
        { expires_at },
        '/expires_at',
        'invalid_timestamp',
      ]),
      [{ may: 'write' }, '/sources'],
      [{ may: 'write', sources: [] }, '/sources'],
      [{ may: 'write', sources: 'ci' }, '/sources'],
      [{ may: 'write', sources: ['ci', 'ci'] }, '/sources'],
      [{ may: 'write', sources: ['ci', 'c i'] }, '/sources/1'],
      [{ may: 'write', sources: [7] }, '/sources/0'],
      [{ may: 'write', sources: Array.from({ length: 51 }, (_, at) => `s${at}`) }, '/sources'],
      [{ sources: ['ci'] }, '/sources'],
      [{ may: 'write', source: ['ci'] }, ''],
    ]
    for (const [body, field, code = 'invalid_field'] of refusals) {
      t.match(await issue(body), { status: 400, body: { code, errors: [{ field }] } }, JSON.stringify(body))
    }
    t.equal((await send(`${place}/tokens`, { headers: shown })).body.count, before.count)
    await send(`${place}/token`, { method: 'DELETE', headers: shown })
  }
})

t.test("no user revokes another user's token under its own name", async t => {
  const { id } = await ledger.accounts.tokens.issue(ada.id)
  const { headers } = await ledger.logIn(mia)
  t.match(await send(`/api/me/tokens/${id}`, { method: 'DELETE', headers }), { status: 404 })
  t.match(await asAdmin('DELETE', `/api/users/${mia.id}/tokens/${id}`), { status: 404 })
  t.match(await asAdmin('DELETE', `/api/users/${ada.id}/tokens/${id}`), { status: 204 })
})

t.test('a user sees its own sessions, and ends one or all except the current one', async t => {
  const one = await ledger.logIn(mia)
  const two = await ledger.logIn(mia)
  const own = (method: string, path = '') => send(`/api/me/sessions${path}`, { method, headers: two.headers })
  await ledger.logIn(ada)
  const [{ id: adas } = { id: '' }] = await ledger.accounts.sessions.list(ada.id)
  const listed = await own('GET')
  const items = listed.body.items as { id: string; is_current: boolean }[]
  t.match(items[0], { id: /^session_[0-9a-f]{16}$/, created_at: /Z$/, last_used_at: /Z$/, address: '127.0.0.1' })
  t.same(
    items.map(item => item.is_current),
    items.map((_, at) => at === 0),
  )
  for (const secret of [one, two].flatMap(({ cookie, csrfToken }) => [cookie.split('=')[1] ?? '', csrfToken])) {
    t.notOk(listed.text.includes(secret))
  }
  t.match(await own('DELETE', `/${adas}`), { status: 404 }, "another user's session stays")
  const { 'X-CSRF-Token': _, ...noToken } = two.headers
  const foreign = { method: 'DELETE', headers: noToken as Headers }
  t.match(await send('/api/me/sessions', foreign), { status: 403, body: { code: 'csrf_failed' } })
  t.match(await own('DELETE', `/${items[1]?.id}`), { status: 204, text: '' })
  t.match(await own('DELETE', `/${items[1]?.id}`), { status: 404, body: { code: 'not_found' } })
  t.match(await send('/api/me/tokens', { headers: one.headers }), { status: 401 })
  const three = await ledger.logIn(mia)
  t.match(await own('DELETE'), { status: 204 })
  t.match(await send('/api/me/tokens', { headers: three.headers }), { status: 401 })
  t.match((await own('GET')).body, { count: 1, items: [{ is_current: true }] })
})

t.test('an admin sees and ends the sessions of a user, which the account log records; a member does not', async t => {
  const { headers } = await ledger.logIn(mia)
  const place = `/api/users/${mia.id}/sessions`
  const [item] = (await asAdmin('GET', place)).body.items as { id: string; is_current: boolean }[]
  t.equal(item?.is_current, false)
  t.match(await send(`/api/users/${ada.id}/sessions`, { headers }), { status: 403 })
  t.match(await send(`/api/users/${ada.id}/sessions`, { method: 'DELETE', headers }), { status: 403 })
  t.match(await asAdmin('DELETE', `/api/users/${ada.id}/sessions/${item?.id}`), { status: 404 })
  t.match(await asAdmin('DELETE', `${place}/${item?.id}`), { status: 204 })
  const other = await ledger.logIn(mia)
  t.match(await asAdmin('DELETE', place), { status: 204 })
  t.match(await asAdmin('DELETE', place), { status: 204 })
  for (const shown of [headers, other.headers])
    t.match(await send('/api/me/tokens', { headers: shown }), { status: 401 })
  t.match((await asAdmin('GET', place)).body, { count: 0, items: { length: 0 } })
  const ended = { action: 'ledger.sessions_ended', user: { id: mia.id }, by: { identity: 'admin_token' } }
  const log = (await asAdmin('GET', '/api/users/log?limit=3')).body.items
  t.match(log, [ended, { action: 'ledger.login_succeeded' }, ended], 'an end of none leaves no entry')
  t.match(await asAdmin('GET', '/api/users/x/sessions'), { status: 404 })
})

t.test('the admin token has no account to own tokens or sessions', async t => {
  for (const [method, path] of [
    ['POST', '/api/me/token'],
    ['DELETE', '/api/me/token'],
    ['GET', '/api/me/tokens'],
    ['DELETE', '/api/me/tokens/x'],
    ['GET', '/api/me/sessions'],
    ['DELETE', '/api/me/sessions'],
    ['DELETE', '/api/me/sessions/x'],
  ] as const) {
    t.match(await asAdmin(method, path), { status: 409, body: { code: 'no_account' } }, `${method} ${path}`)
  }
})
