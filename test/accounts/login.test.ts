import t from 'tap'
import type { StartedSession } from '../../src/accounts/accounts.js'
import type { LedgerAccounts } from '../../src/accounts/ledger-accounts.js'
import { hashPassword } from '../../src/login/password-hash.js'
import type { User } from '../../src/model/accounts/user.js'
import { AppError } from '../../src/model/app-error.js'
import { ITERATIONS, logIn, PASSWORD, startWithUsers } from './accounts-rig.js'

const ADDRESS = '192.0.2.1'
const WRONG = { category: 'unauthenticated', code: 'invalid_credentials' }

function tryLogin(accounts: LedgerAccounts, username: string, password: string, address = ADDRESS) {
  return accounts.login({ username, password, address })
}

/** The error of a login that must be refused. */
async function refusalOf(login: Promise<StartedSession>): Promise<AppError> {
  const refusal = await login.then(
    () => undefined,
    error => error,
  )
  if (!(refusal instanceof AppError)) throw new Error('It was not refused as expected.', { cause: refusal })
  return refusal
}

const isAlive = async (accounts: LedgerAccounts, session: string) =>
  (await accounts.identify({ session })).kind === 'session'

t.test('a login starts a session of that user, regardless of the case of the name', async t => {
  const { accounts, ada } = await startWithUsers()
  for (const username of ['Ada', 'ada', 'ADA']) {
    const { sessionToken, identity } = await tryLogin(accounts, username, PASSWORD)
    t.match(sessionToken, /^[\w-]{43}$/)
    t.match(identity, { kind: 'session', user: ada, csrfToken: /^[\w-]{43}$/ })
    t.same(await accounts.identify({ session: sessionToken }), identity)
  }
})

t.test('a login compares the password exactly as sent', async t => {
  const { accounts } = await startWithUsers()
  await accounts.createUser({ username: 'eve', password: ' \u00e4\t \ud83d\ude00 ' })
  await tryLogin(accounts, 'eve', ' \u00e4\t \ud83d\ude00 ')
  for (const password of [
    '\u00e4\t \ud83d\ude00 ',
    ' a\u0308\t \ud83d\ude00 ',
    ' \u00e4',
    '',
    ' \u00e4\t \ud83d\ude00  ',
  ])
    await t.rejects(tryLogin(accounts, 'eve', password), WRONG)
})

t.test('an unknown name, a wrong password and a disabled user get the same refusal, after the same work', async t => {
  const { rig, accounts } = await startWithUsers({ throttleLogins: false })
  const off = await accounts.createUser({ username: 'off', password: PASSWORD })
  await accounts.updateUser(off.id, { enabled: false })
  const refusals: string[] = []
  const attempts = [
    ['Ada', 'wrong password'],
    ['nobody', PASSWORD],
    ['off', PASSWORD],
    ['off', 'wrong password'],
    ['\u0410da', PASSWORD], // Cyrillic A
    ["' OR 1=1 --", PASSWORD],
    ['Ada\0', PASSWORD],
    ['', ''],
    ['x'.repeat(3_000), PASSWORD],
  ] as const
  for (const [username, password] of attempts) {
    rig.derived.length = 0
    const refusal = await refusalOf(tryLogin(accounts, username, password))
    t.same(rig.derived, [ITERATIONS], `the work for ${JSON.stringify(username.slice(0, 20))}`)
    refusals.push(JSON.stringify({ ...refusal, message: refusal.message }))
  }
  t.equal(new Set(refusals).size, 1)
  t.match(refusals[0], 'invalid_credentials')
})

t.test('a login with an invalid username does not read the store', async t => {
  const { rig, accounts } = await startWithUsers()
  for (const username of ['', 'Ada\0', '\u0410da', 'x'.repeat(65)])
    await t.rejects(tryLogin(accounts, username, PASSWORD), WRONG)
  t.same(new Set(rig.asked), new Set(['addToLog']))
})

t.test(
  'a failed login against an older hash with fewer iterations takes the same work, also for a disabled user',
  async t => {
    const { rig, accounts, ada, bob } = await startWithUsers()
    const older = { password_hash: await hashPassword(PASSWORD, 3), updated_at: ada.updated_at }
    await rig.users.update(ada.id, older, { mayLoseLastAdmin: false })
    await rig.users.update(bob.id, { ...older, enabled: false }, { mayLoseLastAdmin: false })
    await t.rejects(tryLogin(accounts, 'ada', 'wrong password'), WRONG)
    await t.rejects(tryLogin(accounts, 'bob', PASSWORD), WRONG)
    t.same(rig.derived, [3, ITERATIONS - 3, ITERATIONS])
    await tryLogin(accounts, 'ada', PASSWORD)
    t.equal((await rig.users.findById(ada.id))?.password_hash, older.password_hash, 'it is not rewritten')
  },
)

t.test('a password that is longer than 1024 bytes, or is not text, is refused before any work', async t => {
  const { rig, accounts } = await startWithUsers()
  const passwords = ['x'.repeat(1025), 'x'.repeat(1 << 20), '\ud800', 7, undefined]
  for (const password of passwords as string[]) {
    await t.rejects(tryLogin(accounts, 'Ada', password), {
      category: 'invalid',
      code: 'invalid_field',
      errors: [{ field: '/password' }],
    })
  }
  t.same([rig.derived, rig.asked], [[], []])
  await t.rejects(tryLogin(accounts, 'Ada', 'x'.repeat(1024)), WRONG)
})

t.test(
  'a caller who fails too often is throttled before any work; other addresses are not, and a success does not count',
  async t => {
    const { rig, accounts } = await startWithUsers()
    for (let time = 0; time < 9; time++) await t.rejects(tryLogin(accounts, 'Ada', 'wrong password'), WRONG)
    await tryLogin(accounts, 'ADA', PASSWORD)
    for (let time = 0; time < 10; time++) await t.rejects(tryLogin(accounts, 'aDa', 'wrong password'), WRONG)
    rig.derived.length = 0
    rig.asked.length = 0
    const throttled = { category: 'throttled', code: 'too_many_attempts', retryAfterSeconds: 60 }
    await t.rejects(tryLogin(accounts, 'ada', PASSWORD), throttled)
    t.same([rig.derived, rig.asked], [[], []])
    await tryLogin(accounts, 'ada', PASSWORD, '192.0.2.2')
    rig.elapsedMs += 60_000
    await tryLogin(accounts, 'ada', PASSWORD)
  },
)

t.test('concurrent attempts do not bypass the throttle', async t => {
  const { rig, accounts } = await startWithUsers()
  const tries = Array.from({ length: 40 }, () => refusalOf(tryLogin(accounts, 'Ada', 'wrong password')))
  const codes = (await Promise.all(tries)).map(({ code }) => code)
  t.equal(codes.filter(code => code === 'invalid_credentials').length, 10)
  t.equal(codes.filter(code => code === 'too_many_attempts').length, 30)
  t.equal(rig.derived.length, 10)
})

t.test('an attempt that ends without a result does not count', async t => {
  const { rig, accounts } = await startWithUsers()
  rig.duringDerivation = () => {
    throw new AppError('unavailable', 'busy', 'Too many passwords are being checked right now.')
  }
  for (let time = 0; time < 15; time++) {
    await t.rejects(tryLogin(accounts, 'Ada', PASSWORD), { category: 'unavailable', code: 'busy' })
  }
  rig.duringDerivation = () => undefined
  t.ok(await logIn(accounts, 'Ada'))
})

t.test('a login ends the previous session of the browser, and a failed login does not', async t => {
  const { accounts } = await startWithUsers()
  const [first, other] = [await logIn(accounts, 'Ada'), await logIn(accounts, 'Ada')]
  await t.rejects(accounts.login({ username: 'bob', password: 'wrong password', address: ADDRESS, replaces: first }))
  t.ok(await isAlive(accounts, first))
  const second = await logIn(accounts, 'bob', first)
  t.same(await Promise.all([first, other, second].map(token => isAlive(accounts, token))), [false, true, true])
})

t.test('a logout ends its session, and other sessions stay', async t => {
  const { accounts } = await startWithUsers()
  const [first, other] = [await logIn(accounts, 'Ada'), await logIn(accounts, 'Ada')]
  await accounts.logout(first)
  await accounts.logout('never there')
  t.same(await accounts.identify({ session: first }), { kind: 'anonymous' })
  t.ok(await isAlive(accounts, other))
})

t.test('with room for one session, each login replaces the previous one', async t => {
  const { accounts } = await startWithUsers({ maxSessions: 1 })
  const [ada, bob] = [await logIn(accounts, 'Ada'), await logIn(accounts, 'bob')]
  t.same(await Promise.all([ada, bob].map(token => isAlive(accounts, token))), [false, true])
})

t.test('a session ends by the monotonic clock, regardless of the wall clock', async t => {
  const { rig, accounts } = await startWithUsers({ sessionTtlSeconds: 60 })
  const session = await logIn(accounts, 'Ada')
  rig.wallMicros += 365 * 86_400_000_000
  t.ok(await isAlive(accounts, session))
  rig.wallMicros -= 2 * 365 * 86_400_000_000
  rig.elapsedMs += 59_999
  t.ok(await isAlive(accounts, session))
  rig.elapsedMs += 1
  t.notOk(await isAlive(accounts, session))
})

const MEANWHILE: Record<string, (accounts: LedgerAccounts, id: string) => Promise<unknown>> = {
  'the user is deleted': (accounts, id) => accounts.deleteUser(id),
  'the user is disabled': (accounts, id) => accounts.updateUser(id, { enabled: false }),
  'the user is disabled and enabled again with another password': async (accounts, id) => {
    await accounts.updateUser(id, { enabled: false, password: 'quite another password' })
    await accounts.updateUser(id, { enabled: true })
  },
}

for (const [what, happens] of Object.entries(MEANWHILE)) {
  t.test(`a login during which ${what} is refused`, async t => {
    const { rig, accounts, bob } = await startWithUsers({ maxSessions: 1 })
    const before = await logIn(accounts, 'bob')
    rig.duringDerivation = () => {
      rig.duringDerivation = () => undefined
      return happens(accounts, bob.id)
    }
    await t.rejects(tryLogin(accounts, 'bob', PASSWORD), WRONG)
    t.notOk(await isAlive(accounts, before))
    if (await rig.users.findById(bob.id)) await accounts.updateUser(bob.id, { enabled: true })
    t.notOk(await isAlive(accounts, before))
  })
}

const ANOTHER = 'quite another password'

function changePassword(
  accounts: LedgerAccounts,
  user: User,
  { current = PASSWORD, password = ANOTHER, session }: { current?: string; password?: string; session?: string } = {},
) {
  const input = { current_password: current, password }
  return accounts.changeOwnPassword({ user, input, address: ADDRESS, session }, { identity: 'session', user })
}

t.test(
  'a user that changes its password gets a new session token; its other sessions end, and its API tokens stay',
  async t => {
    const { accounts, ada, bob } = await startWithUsers()
    const [own, other, adas] = [
      await logIn(accounts, 'bob'),
      await logIn(accounts, 'bob'),
      await logIn(accounts, 'Ada'),
    ]
    const { token } = await accounts.tokens.issue(bob.id)
    const renewed = await changePassword(accounts, bob, { session: own })
    t.match(renewed, { sessionToken: /^[\w-]{43}$/, identity: { kind: 'session', user: { id: bob.id } } })
    const sessions = [own, other, renewed?.sessionToken ?? '', adas]
    t.same(await Promise.all(sessions.map(each => isAlive(accounts, each))), [false, false, true, true])
    t.match(await accounts.identify({ bearer: token }), { kind: 'token' })
    await t.rejects(tryLogin(accounts, 'bob', PASSWORD), WRONG)
    t.ok(await tryLogin(accounts, 'bob', ANOTHER))
    t.match(await accounts.listLog(3), [
      { action: 'ledger.login_succeeded' },
      { action: 'ledger.login_failed' },
      {
        action: 'ledger.user_changed',
        by: { identity: 'session', user: { id: bob.id } },
        user: { id: bob.id },
        changes: { password: 'changed' },
      },
    ])
    t.equal(await changePassword(accounts, ada), undefined, 'a program with a token has no session')
    t.notOk(await isAlive(accounts, adas))
  },
)

t.test('a new password that breaks the rules is refused before any work', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  for (const password of ['short', 'BOB', 'password1', 'x'.repeat(1025), `${ANOTHER}\0`]) {
    const refusal = { code: 'invalid_field', errors: [{ field: '/password' }] }
    await t.rejects(changePassword(accounts, bob, { password }), refusal, password.slice(0, 20))
  }
  for (const current of ['x'.repeat(1025), 7 as unknown as string]) {
    await t.rejects(changePassword(accounts, bob, { current }), { errors: [{ field: '/current_password' }] })
  }
  t.same([rig.derived, rig.asked], [[], []])
})

t.test('a wrong current password changes nothing, is logged, and is throttled like a failed login', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const session = await logIn(accounts, 'bob')
  const wrong = { category: 'forbidden', code: 'wrong_password', errors: [{ field: '/current_password' }] }
  for (let time = 0; time < 10; time++) {
    await t.rejects(changePassword(accounts, bob, { current: 'wrong', session }), wrong)
  }
  t.match(await accounts.listLog(1), [
    { action: 'ledger.login_failed', by: { identity: 'session', user: { id: bob.id } }, user: { id: bob.id } },
  ])
  rig.derived.length = 0
  const throttled = { category: 'throttled', code: 'too_many_attempts' }
  await t.rejects(changePassword(accounts, bob, { session }), throttled)
  await t.rejects(tryLogin(accounts, 'bob', PASSWORD), throttled, 'logins from there wait as well')
  t.same(rig.derived, [])
  t.ok(await isAlive(accounts, session))
  rig.elapsedMs += 60_000
  t.ok(await changePassword(accounts, bob, { session }))
})

t.test('a password change that ends without a result does not count as an attempt', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  rig.broken = 'findById'
  for (let time = 0; time < 15; time++) {
    await t.rejects(changePassword(accounts, bob), { message: 'The disk is full.' })
  }
  rig.broken = undefined
  await changePassword(accounts, bob)
  t.ok(await tryLogin(accounts, 'bob', ANOTHER))
})

for (const [what, happens] of Object.entries({
  'its password is set by an admin': (accounts, id) => accounts.updateUser(id, { password: 'set by an admin' }),
  'the user is deleted': (accounts, id) => accounts.deleteUser(id),
} satisfies typeof MEANWHILE)) {
  t.test(`a change of the own password during which ${what} is refused`, async t => {
    const { rig, accounts, bob } = await startWithUsers()
    const session = await logIn(accounts, 'bob')
    rig.duringDerivation = () => {
      rig.duringDerivation = () => undefined
      return happens(accounts, bob.id)
    }
    await t.rejects(changePassword(accounts, bob, { session }), { code: 'wrong_password' })
    t.notOk(await isAlive(accounts, session))
    await t.rejects(tryLogin(accounts, 'bob', ANOTHER), WRONG)
  })
}

t.test('a session that ends during its password change is not started again', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const session = await logIn(accounts, 'bob')
  rig.duringDerivation = () => accounts.logout(session)
  t.equal(await changePassword(accounts, bob, { session }), undefined)
  t.ok(await tryLogin(accounts, 'bob', ANOTHER))
})

t.test('a login that races with the disabling of its user leaves no session', async t => {
  const { accounts, bob } = await startWithUsers({ throttleLogins: false })
  for (let round = 0; round < 20; round++) {
    const [login] = await Promise.allSettled([
      tryLogin(accounts, 'bob', PASSWORD),
      new Promise(resolve => setImmediate(resolve)).then(() => accounts.updateUser(bob.id, { enabled: false })),
    ])
    await accounts.updateUser(bob.id, { enabled: true })
    if (login.status === 'fulfilled') t.notOk(await isAlive(accounts, login.value.sessionToken))
  }
})
