import { readFileSync } from 'node:fs'
import t from 'tap'
import { BOARD_ACCESS, type BoardAccess } from '../../src/gate/access.js'
import { sealToken } from '../../src/gate/cookie-envelope.js'
import type { RequestFacts } from '../../src/gate/gate.js'
import type { BoardIdentity } from '../../src/gate/identity.js'
import { newSecret } from '../../src/login/new-secret.js'
import {
  API_KEY,
  AUTH_SECRET,
  EXECUTOR_TOKEN,
  FROM,
  facts,
  GateRig,
  logIn,
  ORIGIN,
  PASSWORD,
  SERVICE_ORIGIN,
} from './gate-rig.js'

const ALL = { password: PASSWORD, apiKey: API_KEY, executorToken: EXECUTOR_TOKEN }

t.test('the first valid credential determines the identity', async t => {
  const gate = GateRig.open(t, ALL).start()
  const { cookies } = await logIn(gate)
  const dead = `board_session=${sealToken(newSecret(), 'another key')}`
  const cases: [shown: Partial<RequestFacts>, who: BoardIdentity['kind'] | 'nobody'][] = [
    [{}, 'nobody'],
    [{ bearer: 'wrong' }, 'nobody'],
    [{ boardToken: 'wrong' }, 'nobody'],
    [{ bearer: '' }, 'nobody'],
    [{ bearer: API_KEY }, 'key'],
    [{ boardToken: API_KEY }, 'key'],
    [{ bearer: 'wrong', boardToken: API_KEY }, 'key'],
    [{ bearer: API_KEY, boardToken: 'wrong' }, 'key'],
    [{ bearer: `${API_KEY} ` }, 'nobody'],
    [{ bearer: API_KEY.toUpperCase() }, 'nobody'],
    [{ bearer: PASSWORD }, 'nobody'],
    [{ bearer: EXECUTOR_TOKEN, boardToken: EXECUTOR_TOKEN }, 'nobody'],
    [{ executorToken: API_KEY }, 'nobody'],
    [{ csrfToken: API_KEY }, 'nobody'],
    [{ cookies: `board_session=${API_KEY}` }, 'nobody'],
    [{ cookies: `api_key=${API_KEY}` }, 'nobody'],
    [{ cookies }, 'session'],
    [{ cookies, bearer: 'wrong' }, 'session'],
    [{ cookies, bearer: API_KEY }, 'key'],
    [{ cookies: dead }, 'nobody'],
    [{ cookies: `${cookies}; other=1` }, 'session'],
    [{ cookies: `${cookies}; ${cookies}` }, 'session'],
    [{ cookies: `${cookies}; ${dead}` }, 'nobody'],
    [{ cookies: cookies.toUpperCase() }, 'nobody'],
    [{ cookies: cookies.replace('board_session', '__Host-board_session') }, 'nobody'],
    [{ cookies: cookies.replace('board_session', 'board_session ') }, 'nobody'],
    [{ bearer: cookies.replace('board_session=', '') }, 'nobody'],
  ]
  for (const [shown, who] of cases) {
    const admitted = gate.admit(facts('api', shown))
    if (who === 'nobody') await t.rejects(admitted, { category: 'unauthenticated', code: 'unauthenticated' }, `${who}`)
    else t.match(await admitted, { kind: who }, JSON.stringify(shown))
  }
})

t.test('every refusal has the category of its code', async t => {
  const open = GateRig.open(t, {}).start()
  await t.rejects(open.admit(facts('login')), { category: 'not_found', code: 'password_login_disabled' })
  await t.rejects(open.admit(facts('api', { host: 'a.example' })), { category: 'forbidden', code: 'host_not_allowed' })
  await t.rejects(open.admit(facts('local')), { category: 'forbidden', code: 'local_only' })
  await t.rejects(open.admit(facts('execute')), { category: 'forbidden', code: 'executor_disabled' })
})

t.test('writes with a cookie need a known Origin and the CSRF token, and writes with a key need neither', async t => {
  const gate = GateRig.open(t, ALL).start({ serviceOrigin: SERVICE_ORIGIN })
  const { cookies, csrfToken } = await logIn(gate)
  const other = await logIn(gate)
  const write = (shown: Partial<RequestFacts>) => gate.admit(facts('api', { method: 'POST', cookies, ...shown }))
  t.match(await write({ origin: ORIGIN, csrfToken }), { kind: 'session', csrfToken })
  t.match(await write({ origin: SERVICE_ORIGIN, csrfToken }), { kind: 'session' })
  t.match(await write({ bearer: API_KEY, origin: 'https://evil.example' }), { kind: 'key' })
  await t.rejects(write({ csrfToken }), { code: 'origin_not_allowed' })
  await t.rejects(write({ origin: ORIGIN }), { code: 'csrf_failed' })
  await t.rejects(write({ origin: ORIGIN, csrfToken: '' }), { code: 'csrf_failed' })
  await t.rejects(write({ origin: ORIGIN, csrfToken: other.csrfToken }), { code: 'csrf_failed' }, 'of another session')
  await t.rejects(write({ origin: ORIGIN, bearer: 'wrong' }), { code: 'csrf_failed' }, 'a wrong key is none')
})

t.test('each mode admits its credentials and reports the session', async t => {
  const cases = [
    { secrets: {}, status: [false, false, false, false], asks: false },
    { secrets: { apiKey: API_KEY }, status: [false, false, false, true], asks: false },
    { secrets: { password: PASSWORD }, status: [true, false, true, false], asks: true },
    { secrets: { password: PASSWORD, apiKey: API_KEY }, status: [true, false, true, true], asks: true },
  ]
  for (const { secrets, status, asks } of cases) {
    const gate = GateRig.open(t, secrets).start({ username: 'ada' })
    const nobody = await gate.admit(facts('optional_login'))
    const [enabled, authenticated, username_required, api_token_enabled] = status
    t.same(gate.authStatus(nobody), { enabled, authenticated, username_required, api_token_enabled })
    t.equal(gate.asksLogin(nobody), asks)
    t.equal(gate.authStatus({ kind: 'key' }).authenticated, true)
    t.equal(gate.asksLogin({ kind: 'session', csrfToken: '' }), false)
    t.equal(gate.asksLogin(await gate.admit(facts('optional_login', { local: true }))), false)
  }
  const nameless = GateRig.open(t, { password: PASSWORD }).start()
  t.equal(nameless.authStatus({ kind: 'anonymous' }).username_required, false)
})

t.test('on routes without a login, the identity of the cookie is reported, even beside a key', async t => {
  const gate = GateRig.open(t, ALL).start()
  const { cookies, csrfToken } = await logIn(gate)
  t.same(await gate.admit(facts('optional_login', { cookies, bearer: API_KEY })), { kind: 'session', csrfToken })
  t.same(await gate.admit(facts('optional_login', { bearer: API_KEY })), { kind: 'key' })
  t.same(await gate.admit(facts('optional_login', { cookies: 'board_session=x' })), { kind: 'anonymous' })
})

t.test('a login needs the password, and the username if one is configured', async t => {
  const gate = GateRig.open(t).start({ username: 'Ada' })
  for (const body of [
    { username: 'Ada', password: PASSWORD },
    { account: 'Ada', password: PASSWORD },
    { account: 'Ada', username: 'Ada', password: PASSWORD, next: 7 },
  ]) {
    t.match(await gate.login(body, FROM), { cookie: /^v2\.[A-Za-z0-9_-]{43}\.[0-9a-f]{64}$/, csrfToken: /^.{43}$/ })
  }
  const wrong = { category: 'unauthenticated', code: 'invalid_credentials' }
  const messages = new Set<string>()
  for (const body of [
    { username: 'Ada', password: 'wrong' },
    { username: 'ada', password: PASSWORD },
    { username: '', password: PASSWORD },
    { username: 'Ada', password: '' },
    { username: 'Ada', password: `${PASSWORD} ` },
    { username: 'Ada ', password: PASSWORD },
    { username: 'Ada', password: `${PASSWORD}\0` },
    { username: PASSWORD, password: 'Ada' },
  ]) {
    await t.rejects(
      gate.login(body, FROM).catch(error => {
        messages.add(error.message)
        throw error
      }),
      wrong,
      JSON.stringify(body),
    )
  }
  t.equal(messages.size, 1, 'the message does not reveal which of the two was wrong')
  const nameless = GateRig.open(t).start()
  t.ok(await nameless.login({ password: PASSWORD }, FROM))
  t.ok(await nameless.login({ password: PASSWORD, username: 'whoever' }, FROM))
})

t.test('a malformed login is refused with its field', async t => {
  const gate = GateRig.open(t).start({ username: 'ada' })
  const right = { username: 'ada', password: PASSWORD }
  const cases: [body: unknown, fields: string[]][] = [
    [{}, ['/username', '/password']],
    [{ username: 'ada' }, ['/password']],
    [{ password: PASSWORD }, ['/username']],
    [{ ...right, password: ['x'] }, ['/password']],
    [{ ...right, password: { $ne: '' } }, ['/password']],
    [{ ...right, password: 'x'.repeat(1025) }, ['/password']],
    [{ ...right, password: '\ud800' }, ['/password']],
    [{ ...right, username: 7 }, ['/username']],
    [{ ...right, username: null }, ['/username']],
    [{ account: 7, password: PASSWORD }, ['/account']],
    [{ ...right, account: 'Ada' }, ['/account']],
    [{ ...right, account: null }, ['/account']],
  ]
  for (const body of [null, [], 'text', 7, true, undefined]) {
    await t.rejects(gate.login(body, FROM), { code: 'invalid_json', errors: [{ field: '' }] }, JSON.stringify(body))
  }
  for (const [body, fields] of cases) {
    await t.rejects(
      gate.login(body, FROM),
      { category: 'invalid', code: 'invalid_field', errors: fields.map(field => ({ field })) },
      JSON.stringify(body)?.slice(0, 60),
    )
  }
  await t.rejects(
    gate.login({ ...right, password: 'ü'.repeat(512) }, FROM),
    { code: 'invalid_credentials' },
    '1024 bytes',
  )
})

t.test('a login after too many failures is refused under any name', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start({ throttleLogins: true, username: 'ada' })
  const fail = (i: number) => gate.login({ username: `name ${i}`, password: 'wrong' }, FROM)
  for (let i = 0; i < 10; i++) await t.rejects(fail(i), { code: 'invalid_credentials' })
  const right = { username: 'ada', password: PASSWORD }
  await t.rejects(gate.login(right, FROM), { category: 'throttled', code: 'too_many_attempts', retryAfterSeconds: 60 })
  t.ok(await gate.login(right, { ...FROM, address: '192.0.2.2' }), 'others are not kept out')
  rig.elapsedMs += 60_000
  t.ok(await gate.login(right, FROM))
})

t.test(
  'execution also needs the executor token; wrong tokens are throttled, and the right one always works',
  async t => {
    const rig = GateRig.open(t, ALL)
    const gate = rig.start({ throttleLogins: true })
    const execute = (shown: Partial<RequestFacts>) =>
      gate.admit(facts('execute', { method: 'POST', bearer: API_KEY, ...shown }))
    t.match(await execute({ executorToken: EXECUTOR_TOKEN }), { kind: 'key' })
    const messages = new Set<string>()
    const denied = async (shown: Partial<RequestFacts>) => {
      const failure = await execute(shown).catch(error => error)
      t.match(failure, { category: 'forbidden', code: 'executor_denied' }, JSON.stringify(shown))
      messages.add(failure.message)
    }
    for (let i = 0; i < 20; i++) await denied({})
    await denied({ executorToken: 'wrong' })
    await denied({ executorToken: API_KEY })
    await denied({ executorToken: '' })
    t.equal(messages.size, 1)
    const stranger = { bearer: 'wrong', executorToken: 'wrong', address: '192.0.2.7' }
    for (let i = 0; i < 10; i++) await t.rejects(execute(stranger), { code: 'unauthenticated' }, 'counted once')
    for (let i = 0; i < 7; i++) await denied({ executorToken: `guess ${i}` })
    const tooMany = { category: 'throttled', code: 'too_many_attempts', retryAfterSeconds: 60 }
    for (let i = 0; i < 200; i++) await t.rejects(execute({ executorToken: `more ${i}` }), tooMany)
    await t.rejects(gate.admitExecution({ executorToken: 'wrong', address: '192.0.2.1' }), tooMany)
    await t.rejects(gate.provesExecution({ executorToken: 'wrong', address: '192.0.2.1' }), tooMany)
    t.match(await execute({ executorToken: EXECUTOR_TOKEN }), { kind: 'key' }, 'the right one is never locked out')
    await gate.admitExecution({ executorToken: EXECUTOR_TOKEN, address: '192.0.2.1' })
    t.equal(await gate.provesExecution({ executorToken: EXECUTOR_TOKEN, address: '192.0.2.1' }), true)
    t.equal(await gate.provesExecution({ executorToken: undefined, address: '192.0.2.1' }), false)
    await t.rejects(gate.admitExecution({ executorToken: undefined, address: '192.0.2.1' }), {
      code: 'executor_denied',
    })
    await t.rejects(gate.admitExecution({ executorToken: 'wrong', address: '192.0.2.9' }), { code: 'executor_denied' })
    t.ok(await gate.login({ password: PASSWORD }, FROM), 'logins are counted separately')
    rig.elapsedMs += 60_000
    await denied({ executorToken: 'wrong' })

    rig.secrets = { password: PASSWORD, apiKey: API_KEY }
    await t.rejects(gate.admitExecution({ executorToken: 'x', address: '192.0.2.8' }), { code: 'executor_disabled' })
    t.equal(await gate.provesExecution({ executorToken: EXECUTOR_TOKEN, address: '192.0.2.8' }), false)
  },
)

t.test('wrong API keys are throttled by address, and do not lock out the right key', async t => {
  const gate = GateRig.open(t, ALL).start({ throttleLogins: true })
  const { cookies, csrfToken } = await logIn(gate)
  const show = (key: string, shown: Partial<RequestFacts> = {}) => gate.admit(facts('api', { bearer: key, ...shown }))
  for (let i = 0; i < 5; i++) {
    await t.rejects(show(`guess ${i}`), { code: 'unauthenticated' })
    t.match(await gate.admit(facts('optional_login', { boardToken: `guess ${i}` })), { kind: 'anonymous' })
  }
  const tooMany = { category: 'throttled', code: 'too_many_attempts' }
  for (let i = 0; i < 200; i++) await t.rejects(show(`guess ${i}`), tooMany)
  await t.rejects(gate.admit(facts('optional_login', { boardToken: 'guess' })), tooMany, 'wherever a key is compared')
  t.match(await show(API_KEY), { kind: 'key' })
  t.match(await gate.admit(facts('api', { boardToken: API_KEY, bearer: 'wrong' })), { kind: 'key' })
  t.match(await show('wrong', { cookies }), { kind: 'session' }, 'a session counts in spite of a wrong key')
  await t.rejects(gate.admit(facts('api')), { code: 'unauthenticated' }, 'no key is not a wrong key')
  await t.rejects(show('guess', { address: '192.0.2.2' }), { code: 'unauthenticated' }, 'other addresses')
  t.match(await gate.admit(facts('login', { bearer: 'wrong', method: 'POST' })), { kind: 'anonymous' })
  t.match(await gate.admit(facts('public', { bearer: 'wrong' })), { kind: 'anonymous' })
  t.match(await gate.admit(facts('api', { cookies, method: 'POST', origin: ORIGIN, csrfToken })), { kind: 'session' })
})

t.test('a session lasts for its configured time, across restarts, regardless of its use', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start({ sessionTtlSeconds: 100 })
  const { cookies, csrfToken } = await logIn(gate)
  rig.seconds += 99
  t.match(await gate.admit(facts('api', { cookies })), { kind: 'session', csrfToken })
  rig.reopen()
  const again = rig.start()
  t.match(await again.admit(facts('api', { cookies })), { kind: 'session', csrfToken }, 'a start changes nothing')
  t.equal(rig.derived.length, 2, 'the key is made once a start')
  t.same(rig.derived[0], rig.derived[1], 'and from the same salt')
  rig.seconds += 1
  await t.rejects(again.admit(facts('api', { cookies })), { code: 'unauthenticated' })
  t.equal(rig.database.sessions.count(), 1)
  await rig.start().keepOwnSessions()
  t.equal(rig.database.sessions.count(), 0, 'what is over goes at the start')
})

t.test('a logout ends the session for every copy of its cookie', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start()
  const { cookies } = await logIn(gate)
  const other = await logIn(gate)
  await gate.logout({ cookies })
  await t.rejects(gate.admit(facts('api', { cookies })), { code: 'unauthenticated' })
  t.match(await gate.admit(facts('api', { cookies: other.cookies })), { kind: 'session' })
  await gate.logout({ cookies })
  await gate.logout({ cookies: undefined })
  t.equal(rig.database.sessions.count(), 1)
})

t.test('a successful login ends the previous session of the browser, and a failed one does not', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start()
  const first = await logIn(gate)
  await t.rejects(logIn(gate, { password: 'wrong' }, first.cookies), { code: 'invalid_credentials' })
  t.match(await gate.admit(facts('api', { cookies: first.cookies })), { kind: 'session' })
  const second = await logIn(gate, { password: PASSWORD }, first.cookies)
  t.not(second.cookie, first.cookie)
  await t.rejects(gate.admit(facts('api', { cookies: first.cookies })), { code: 'unauthenticated' })
  t.match(await gate.admit(facts('api', { cookies: second.cookies })), { kind: 'session' })
  await logIn(gate, { password: PASSWORD }, `board_session=${sealToken(newSecret(), 'another key')}`)
  t.equal(rig.database.sessions.count(), 2, 'anything other than a session of ours replaces none')

  const live = { method: 'POST', cookies: second.cookies }
  await t.rejects(gate.admit(facts('login', live)), { code: 'origin_not_allowed' })
  await t.rejects(gate.admit(facts('login', { ...live, origin: ORIGIN })), { code: 'csrf_failed' })
  const shown = { ...live, origin: ORIGIN, csrfToken: second.csrfToken }
  t.match(await gate.admit(facts('login', shown)), { kind: 'session' })
  t.match(await gate.admit(facts('login', { method: 'POST', cookies: first.cookies })), { kind: 'anonymous' })
})

t.test('one of concurrent logins gets the last place for a session', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start({ sessionTtlSeconds: 60 })
  await rig.fill(1023)
  const full = { category: 'unavailable', code: 'capacity', retryAfterSeconds: 60 }
  const raced = await Promise.allSettled([logIn(gate), logIn(gate), logIn(gate)])
  const [winner, ...others] = raced.filter(login => login.status === 'fulfilled')
  t.same(others, [])
  for (const login of raced) if (login.status === 'rejected') t.match(login.reason, full)
  t.equal(rig.database.sessions.count(), 1024)
  await t.rejects(logIn(gate), full)
  await t.rejects(
    logIn(gate, { password: 'wrong' }),
    { code: 'invalid_credentials' },
    'only the right password learns that the board is full',
  )
  const again = await logIn(gate, { password: PASSWORD }, winner?.value.cookies)
  t.match(
    await gate.admit(facts('api', { cookies: again.cookies })),
    { kind: 'session' },
    'a place that one has is free',
  )
  await gate.logout({ cookies: again.cookies })
  t.ok(await logIn(gate))
  rig.seconds += 60
  t.ok(await logIn(gate))
  t.equal(rig.database.sessions.count(), 1)
})

t.test('a cookie ends with the key that signed it', async t => {
  const rig = GateRig.open(t, { password: PASSWORD, authSecret: AUTH_SECRET })
  const gate = rig.start()
  const { cookies } = await logIn(gate)
  const isLive = async () => (await gate.admit(facts('optional_login', { cookies }))).kind === 'session'
  const cases: [name: string, secrets: typeof rig.secrets, live: boolean][] = [
    ['another password', { password: 'another one', authSecret: AUTH_SECRET }, true],
    ['another key', { password: PASSWORD, authSecret: 'signing-9876543210-dcba' }, false],
    ['the key of before', { password: PASSWORD, authSecret: AUTH_SECRET }, false],
  ]
  for (const [name, secrets, live] of cases) {
    rig.secrets = secrets
    t.equal(await isLive(), live, name)
  }
  t.equal(rig.database.sessions.count(), 0)
})

t.test('a temporarily unreadable key ends no session', async t => {
  const rig = GateRig.open(t, { password: PASSWORD, authSecret: AUTH_SECRET })
  const gate = rig.start()
  const { cookies } = await logIn(gate)
  const kind = async () => (await gate.admit(facts('optional_login', { cookies }))).kind
  rig.secrets = {}
  t.equal(await kind(), 'anonymous')
  rig.secrets = { authSecret: AUTH_SECRET }
  t.equal(await kind(), 'session', 'also while the password cannot be read')
  rig.secrets = { password: PASSWORD }
  t.equal(await kind(), 'anonymous', 'the password in its place is another key')
  rig.secrets = { password: PASSWORD, authSecret: AUTH_SECRET }
  t.equal(await kind(), 'anonymous')
})

t.test('a store full of sessions of an old key accepts logins after a rotation and after a start', async t => {
  for (const secrets of [{ authSecret: 'signing-9876543210-dcba', password: PASSWORD }, { password: 'another one' }]) {
    const rig = GateRig.open(t)
    const running = rig.start()
    await rig.fill(1023)
    const { cookies } = await logIn(running)
    await t.rejects(logIn(running), { code: 'capacity' })

    rig.reopen()
    const before = rig.secrets
    rig.secrets = secrets
    const restarted = rig.start()
    await restarted.keepOwnSessions()
    t.equal(rig.database.sessions.count(), 0)
    t.ok(await logIn(restarted, { password: secrets.password }))

    await rig.fill(1024)
    await t.rejects(logIn(restarted, { password: secrets.password }), { code: 'capacity' })
    rig.secrets = before
    t.ok(await logIn(restarted), 'without a restart')
    t.equal(rig.database.sessions.count(), 1)
    await t.rejects(
      restarted.admit(facts('api', { cookies })),
      { code: 'unauthenticated' },
      'the key is back, its session not',
    )
  }
})

t.test('sessions of a replaced key stay ended when a later start uses the key again', async t => {
  const rig = GateRig.open(t, { password: PASSWORD, authSecret: AUTH_SECRET })
  const { cookies } = await logIn(rig.start())
  const restart = async (authSecret: string) => {
    rig.reopen()
    rig.secrets = { password: PASSWORD, authSecret }
    const gate = rig.start()
    await gate.keepOwnSessions()
    return (await gate.admit(facts('optional_login', { cookies }))).kind
  }
  t.equal(await restart(AUTH_SECRET), 'session')
  t.equal(await restart('signing-9876543210-dcba'), 'anonymous')
  t.equal(await restart(AUTH_SECRET), 'anonymous')
})

t.test('a login during a change of the key starts no session', async t => {
  const rig = GateRig.open(t)
  let release = () => {}
  rig.deriving = new Promise(resolve => {
    release = resolve
  })
  const gate = rig.start()
  const login = logIn(gate)
  rig.secrets = { password: PASSWORD, authSecret: AUTH_SECRET }
  t.match(await gate.admit(facts('optional_login')), { kind: 'anonymous' })
  release()
  await t.rejects(login, { category: 'unavailable', code: 'busy' })
  t.equal(rig.database.sessions.count(), 0)
  t.ok(await logIn(gate))
})

t.test('without a signing key, cookies end with the password, from which one key is derived', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start()
  const [first, second] = await Promise.all([logIn(gate), logIn(gate)])
  t.same(rig.derived, [{ password: PASSWORD, salt: rig.database.sessions.salt, iterations: 600_000 }])
  const isLive = async () => (await gate.admit(facts('optional_login', { cookies: first.cookies }))).kind === 'session'
  t.equal(await isLive(), true)
  rig.secrets = { password: 'another one' }
  t.equal(await isLive(), false)
  await t.rejects(logIn(gate), { code: 'invalid_credentials' })
  rig.secrets = { password: PASSWORD }
  t.equal(await isLive(), false, 'nor is it live again when the password is changed back')
  t.same(
    rig.derived.map(({ password }) => password),
    [PASSWORD, 'another one'],
  )
  await logIn(gate)
  const raw = readFileSync(rig.path)
  for (const secret of [PASSWORD, first.cookie, first.csrfToken, second.cookie.slice(3, 46)]) {
    t.equal(raw.includes(secret), false, 'and none of it is in the file')
  }
  t.not(first.cookie, sealToken(first.cookie.slice(3, 46), PASSWORD), 'a cookie is not a place to test passwords at')
})

t.test('a failed derivation of the key is repeated at the next login', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start()
  rig.deriving = Promise.reject(new Error('no memory'))
  await t.rejects(logIn(gate), { message: 'no memory' })
  rig.deriving = undefined
  await t.resolves(logIn(gate))
})

t.test('requests wait for the key only if they need it', async t => {
  const rig = GateRig.open(t, ALL)
  const { cookies } = await logIn(rig.start())
  let release = () => {}
  rig.deriving = new Promise(resolve => {
    release = resolve
  })
  const gate = rig.start()
  const waiting = Promise.all([1, 2, 3].map(() => gate.admit(facts('api', { cookies }))))
  t.match(await gate.admit(facts('api', { bearer: API_KEY, cookies })), { kind: 'key' })
  t.match(await gate.admit(facts('public', { cookies })), { kind: 'anonymous' })
  t.match(await gate.admit(facts('optional_login', { cookies: 'board_session=v2.x.y' })), { kind: 'anonymous' })
  release()
  for (const identity of await waiting) t.match(identity, { kind: 'session' })
  t.equal(rig.derived.length, 2, 'once for each gate')
})

t.test('a board whose secrets disappear admits no request, in any mode and on any route', async t => {
  for (const secrets of [{ password: PASSWORD }, { apiKey: API_KEY }, ALL]) {
    const rig = GateRig.open(t, secrets)
    const gate = rig.start()
    rig.secrets = {}
    const shown = { bearer: API_KEY, boardToken: '', executorToken: EXECUTOR_TOKEN, cookies: 'board_session=' }
    for (const access of BOARD_ACCESS.filter(isProtected)) {
      await t.rejects(gate.admit(facts(access, shown)), { code: 'unauthenticated' }, access)
    }
    t.match(await gate.admit(facts('optional_login', shown)), { kind: 'anonymous' })
    for (const password of ['', 'undefined', 'null', PASSWORD]) {
      await t.rejects(gate.login({ password }, FROM), { code: 'invalid_credentials' })
    }
    const { enabled, api_token_enabled } = gate.authStatus({ kind: 'anonymous' })
    t.same([enabled, api_token_enabled], ['password' in secrets, 'apiKey' in secrets], 'it asks for what it did')
  }
})

t.test('a board without credentials requires them as soon as one is configured', async t => {
  for (const secrets of [{ password: PASSWORD }, { apiKey: API_KEY }]) {
    const rig = GateRig.open(t, {})
    const gate = rig.start()
    t.match(await gate.admit(facts('api')), { kind: 'local' })
    rig.secrets = secrets
    await t.rejects(gate.admit(facts('api')), { code: 'unauthenticated' })
    rig.secrets = {}
    await t.rejects(gate.admit(facts('api')), { code: 'unauthenticated' }, 'and never ends to')
  }
})

t.test('sessions end when the board no longer has a password', async t => {
  const rig = GateRig.open(t, { password: PASSWORD, authSecret: AUTH_SECRET })
  const { cookies } = await logIn(rig.start())
  rig.secrets = { authSecret: AUTH_SECRET, apiKey: API_KEY }
  await t.rejects(rig.start().admit(facts('api', { cookies })), { code: 'unauthenticated' })
  t.match(await rig.start().admit(facts('optional_login', { cookies })), { kind: 'anonymous' })
})

t.test('a failure of the store is reported, and never counts as a login', async t => {
  const rig = GateRig.open(t)
  const gate = rig.start({ throttleLogins: true })
  const { cookies } = await logIn(gate)
  rig.database.close()
  await t.rejects(gate.admit(facts('api', { cookies })))
  for (let i = 0; i < 20; i++) {
    const failure = await logIn(gate).catch(error => error)
    t.type(failure, Error)
    t.not(failure.code, 'too_many_attempts', 'it is not a guess either')
  }
})

function isProtected(access: BoardAccess): boolean {
  return ['logout', 'api', 'execute'].includes(access)
}
