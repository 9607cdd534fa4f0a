import t from 'tap'
import { ANONYMOUS, BOOTSTRAP_ADMIN, type ShownCredentials } from '../../src/accounts/identity.js'
import { AccountsRig, logIn, PASSWORD, startWithUsers } from './accounts-rig.js'

const ADMIN_TOKEN = 'an admin token that nobody guesses'
const FORGED = `tok_${'A'.repeat(43)}`

/** Ada by her token, Bob by his session, and an admin token. */
async function startWithCredentials() {
  const started = await startWithUsers({ adminToken: ADMIN_TOKEN })
  const { token } = await started.accounts.tokens.issue(started.ada.id)
  const session = await logIn(started.accounts, 'bob')
  return { ...started, token, session }
}

t.test(
  'the admin token takes precedence over the bearer token, and that over the session; an invalid credential counts as absent',
  async t => {
    const { accounts, token, session, ada, bob } = await startWithCredentials()
    const byToken = { kind: 'token', user: ada }
    const bySession = { kind: 'session', user: bob, csrfToken: /^[\w-]{43}$/ }
    const cases: [ShownCredentials, object][] = [
      [{}, ANONYMOUS],
      [{ adminToken: ADMIN_TOKEN, bearer: token, session }, BOOTSTRAP_ADMIN],
      [{ adminToken: 'wrong', bearer: token, session }, byToken],
      [{ adminToken: '', bearer: FORGED, session }, bySession],
      [{ adminToken: 'wrong', bearer: FORGED, session: 'A'.repeat(43) }, ANONYMOUS],
      [{ bearer: session }, ANONYMOUS],
      [{ session: token }, ANONYMOUS],
      [{ adminToken: token }, ANONYMOUS],
      [{ bearer: ADMIN_TOKEN, session: ADMIN_TOKEN }, ANONYMOUS],
      [{ adminToken: `${ADMIN_TOKEN} ` }, ANONYMOUS],
      [{ adminToken: 'x'.repeat(16_000), bearer: 'y'.repeat(16_000), session: 'z'.repeat(16_000) }, ANONYMOUS],
      [{ bearer: token.toUpperCase() }, ANONYMOUS],
      [{ bearer: `${token}=` }, ANONYMOUS],
      [{ bearer: '\ud800' }, ANONYMOUS],
    ]
    for (const [shown, expected] of cases) t.match(await accounts.identify(shown), expected, JSON.stringify(shown))
  },
)

t.test('no answer contains the hash of a password', async t => {
  const { accounts, token, session } = await startWithCredentials()
  const seen = [await accounts.identify({ bearer: token }), await accounts.identify({ session })]
  t.notMatch(JSON.stringify([...seen, await accounts.listUsers()]), /pbkdf2|password/)
})

t.test('without a configured admin token, no admin token is accepted', async t => {
  for (const adminToken of [undefined, '']) {
    const { accounts } = await startWithUsers({ adminToken })
    for (const shown of ['', 'undefined', ' ']) {
      t.same(await accounts.identify({ adminToken: shown }), ANONYMOUS)
    }
  }
})

t.test('identifying a caller takes one read of the store, or none with the admin token', async t => {
  const { rig, accounts, token, session } = await startWithCredentials()
  await accounts.identify({ bearer: token })
  const cases: [ShownCredentials, string[]][] = [
    [{ bearer: token }, ['findByTokenDigest']],
    [{ session }, ['findById']],
    [{ adminToken: ADMIN_TOKEN, bearer: token }, []],
    [{}, []],
    [{ bearer: 'no token', session: 'no session' }, []],
  ]
  for (const [shown, reads] of cases) {
    rig.asked.length = 0
    await accounts.identify(shown)
    t.same(rig.asked, reads)
  }
})

t.test('a disabled user is anonymous immediately; enabling it restores its tokens but not its sessions', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  const [{ token }, session] = [await accounts.tokens.issue(bob.id), await logIn(accounts, 'bob')]
  await accounts.updateUser(bob.id, { enabled: false })
  t.same(await accounts.identify({ bearer: token }), ANONYMOUS)
  t.same(await accounts.identify({ session }), ANONYMOUS)
  t.match(await accounts.identify({ bearer: token, session: await logIn(accounts, 'Ada') }), { user: ada })
  await accounts.updateUser(bob.id, { enabled: true })
  t.match(await accounts.identify({ bearer: token }), { kind: 'token', user: { id: bob.id } })
  t.same(await accounts.identify({ session }), ANONYMOUS)
})

t.test('a deleted user is anonymous immediately, also after a new user gets that name', async t => {
  const { accounts, bob } = await startWithUsers()
  const [{ token }, session] = [await accounts.tokens.issue(bob.id), await logIn(accounts, 'bob')]
  await accounts.deleteUser(bob.id)
  const again = await accounts.createUser({ username: 'bob', password: PASSWORD })
  t.not(again.id, bob.id)
  t.same(await accounts.identify({ bearer: token, session }), ANONYMOUS)
})

t.test(
  'a user that another process deleted or disabled in the store is anonymous, although its session exists',
  async t => {
    const { rig, accounts, bob } = await startWithUsers()
    const session = await logIn(accounts, 'bob')
    const change = { enabled: false, updated_at: bob.updated_at }
    await rig.users.update(bob.id, change, { mayLoseLastAdmin: false })
    t.same(await accounts.identify({ session }), ANONYMOUS)
    await rig.users.delete(bob.id, { mayLoseLastAdmin: false })
    t.same(await accounts.identify({ session }), ANONYMOUS)
  },
)

t.test('a changed role applies from the next request', async t => {
  const { accounts, bob } = await startWithUsers()
  const [{ token }, session] = [await accounts.tokens.issue(bob.id), await logIn(accounts, 'bob')]
  for (const role of ['admin', 'member'] as const) {
    await accounts.updateUser(bob.id, { role })
    t.match(await accounts.identify({ bearer: token }), { user: { role } })
    t.match(await accounts.identify({ session }), { user: { role } })
  }
})

t.test('a ledger is open until its first user exists, and never again', async t => {
  const rig = await AccountsRig.open(t)
  const accounts = await rig.start()
  t.same([await accounts.isClosed(), await accounts.identify({ bearer: FORGED })], [false, { kind: 'open' }])
  const { id } = await accounts.createUser({ username: 'ada', password: PASSWORD })
  t.same([await accounts.isClosed(), await accounts.identify({})], [true, ANONYMOUS])
  await accounts.deleteUser(id)
  t.same([await accounts.isClosed(), await accounts.identify({})], [true, ANONYMOUS])
  t.same(await (await rig.start()).identify({}), ANONYMOUS, 'also after the next start')
})

t.test('creating a user closes a running ledger, regardless of the creator', async t => {
  const rig = await AccountsRig.open(t)
  const [one, two] = [await rig.start(), await rig.start()]
  t.same(await one.identify({}), { kind: 'open' })
  await two.createUser({ username: 'ada', password: PASSWORD })
  t.same(await one.identify({}), ANONYMOUS)
})

t.test('a ledger that was once started with an admin token stays closed without it', async t => {
  const rig = await AccountsRig.open(t)
  const accounts = await rig.start({ adminToken: ADMIN_TOKEN })
  t.same(await accounts.identify({}), ANONYMOUS)
  t.same(await (await rig.start()).identify({ adminToken: ADMIN_TOKEN }), ANONYMOUS)
})

t.test('a start that changes nothing writes nothing', async t => {
  const rig = await AccountsRig.open(t)
  await rig.start({ adminToken: ADMIN_TOKEN })
  rig.asked.length = 0
  await rig.start({ adminToken: ADMIN_TOKEN })
  t.same(rig.asked, ['isClosed'])
})
