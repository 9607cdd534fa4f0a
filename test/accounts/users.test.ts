import t from 'tap'
import { PasswordHasher } from '../../src/login/password-hasher.js'
import { AccountsRig, logIn, MINUTE, PASSWORD, startWithUsers } from './accounts-rig.js'

const LAST_ADMIN = { category: 'conflict', code: 'last_admin' }
const NOT_FOUND = { category: 'not_found', code: 'not_found' }

t.test('a new user is an enabled member, and only the hash of its password is stored', async t => {
  const { rig, accounts } = await startWithUsers()
  const eve = await accounts.createUser({ username: 'Eve', password: PASSWORD })
  const created_at = '2027-01-15T08:00:00.000000Z'
  t.match(eve.id, /^user_[0-9a-f]{16}$/)
  t.same(eve, { id: eve.id, username: 'Eve', role: 'member', enabled: true, created_at, updated_at: created_at })
  t.match((await rig.users.findById(eve.id))?.password_hash, /^pbkdf2_sha256\$10\$[0-9a-f]{32}\$[0-9a-f]{64}$/)
})

t.test('new passwords are hashed with 600,000 iterations', async t => {
  const rig = await AccountsRig.closed()
  const accounts = await rig.start({ hasher: new PasswordHasher() })
  const { id } = await accounts.createUser({ username: 'ada', password: PASSWORD })
  t.match((await rig.users.findById(id))?.password_hash, /^pbkdf2_sha256\$600000\$/)
})

t.test('users are listed by name, each with the number of its tokens', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  await accounts.tokens.issue(bob.id)
  t.same(await accounts.listUsers(), [
    { ...ada, token_count: 0 },
    { ...bob, token_count: 1 },
  ])
})

t.test('a name that is taken is refused, regardless of case and of concurrent attempts', async t => {
  const { accounts } = await startWithUsers()
  const taken = { category: 'conflict', code: 'username_taken' }
  await t.rejects(accounts.createUser({ username: 'ADA', password: PASSWORD }), taken)
  const tries = ['eve', 'Eve', 'EVE'].map(username => accounts.createUser({ username, password: PASSWORD }))
  const results = await Promise.allSettled(tries)
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
})

t.test('invalid input is refused before a password is hashed', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  const invalid = { category: 'invalid', code: 'invalid_field' }
  for (const input of [undefined, null, [], 'ada']) {
    await t.rejects(accounts.createUser(input), { category: 'invalid', code: 'invalid_json' })
    await t.rejects(accounts.updateUser(bob.id, input), { category: 'invalid', code: 'invalid_json' })
  }
  for (const input of [{}, { username: 'eve', password: 'short' }]) await t.rejects(accounts.createUser(input), invalid)
  for (const input of [{}, { password: 'short' }, { role: 'root' }, { enabled: 1 }])
    await t.rejects(accounts.updateUser(bob.id, input), invalid)
  await t.rejects(accounts.updateUser('user_nobody', { password: PASSWORD }), NOT_FOUND)
  t.same(rig.derived, [])
})

t.test('a setting gives the minimum length of passwords', async t => {
  const { accounts } = await startWithUsers({ passwordMinLength: 12 })
  await t.rejects(accounts.createUser({ username: 'eve', password: 'eleven byte' }), /needs at least 12 characters/)
  await accounts.createUser({ username: 'eve', password: 'twelve bytes' })
})

t.test('a change records its time, and keeps the members that were not sent', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  rig.wallMicros += MINUTE
  const updated_at = '2027-01-15T08:01:00.000000Z'
  t.same(await accounts.updateUser(bob.id, { role: 'admin' }), { ...bob, role: 'admin', updated_at })
  t.same(await accounts.updateUser(bob.id, { enabled: false }), { ...bob, role: 'admin', enabled: false, updated_at })
})

t.test('a new password takes effect immediately, and ends every session of that user and no other', async t => {
  const { accounts, ada } = await startWithUsers()
  const sessions = [await logIn(accounts, 'Ada'), await logIn(accounts, 'Ada'), await logIn(accounts, 'bob')]
  const { token } = await accounts.tokens.issue(ada.id)
  await accounts.updateUser(ada.id, { password: 'quite another password' })
  const kinds = await Promise.all(sessions.map(async session => (await accounts.identify({ session })).kind))
  t.same(kinds, ['anonymous', 'anonymous', 'session'])
  t.match(await accounts.identify({ bearer: token }), { kind: 'token' }, 'tokens are revoked on their own')
  await t.rejects(logIn(accounts, 'Ada'), { code: 'invalid_credentials' })
  await accounts.login({ username: 'Ada', password: 'quite another password', address: '192.0.2.1' })
})

t.test('a change of the role ends no session', async t => {
  const { accounts, bob } = await startWithUsers()
  const session = await logIn(accounts, 'bob')
  await accounts.updateUser(bob.id, { role: 'admin', enabled: true })
  t.match(await accounts.identify({ session }), { kind: 'session' })
})

t.test('the last administrator can be neither deleted nor disabled nor demoted', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  const session = await logIn(accounts, 'Ada')
  await t.rejects(accounts.deleteUser(ada.id), LAST_ADMIN)
  await t.rejects(accounts.updateUser(ada.id, { enabled: false }), LAST_ADMIN)
  await t.rejects(accounts.updateUser(ada.id, { role: 'member', password: 'quite another password' }), LAST_ADMIN)
  t.match(await accounts.identify({ session }), { kind: 'session', user: ada }, 'and keeps its session')
  await accounts.updateUser(bob.id, { role: 'admin' })
  await accounts.deleteUser(ada.id)
})

t.test('with an admin token, the last administrator can be deleted', async t => {
  const { accounts, ada, bob } = await startWithUsers({ adminToken: 'an admin token that nobody guesses' })
  await accounts.updateUser(ada.id, { role: 'member' })
  await accounts.deleteUser(ada.id)
  t.match(await accounts.listUsers(), [bob])
})

t.test('concurrent deletions of the last two administrators leave one of them', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  await accounts.updateUser(bob.id, { role: 'admin' })
  const results = await Promise.allSettled([accounts.deleteUser(ada.id), accounts.deleteUser(bob.id)])
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.equal((await accounts.listUsers()).length, 1)
})

t.test('if the last two administrators concurrently lose their rights in different ways, one keeps them', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  await accounts.updateUser(bob.id, { role: 'admin' })
  await Promise.allSettled([
    accounts.updateUser(ada.id, { password: 'quite another password', role: 'member' }),
    accounts.updateUser(bob.id, { enabled: false }),
    accounts.deleteUser(bob.id),
  ])
  const left = (await accounts.listUsers()).filter(({ role, enabled }) => role === 'admin' && enabled)
  t.equal(left.length, 1)
})

t.test('an unknown user can be neither changed nor deleted', async t => {
  const { accounts, bob } = await startWithUsers()
  await accounts.deleteUser(bob.id)
  for (const id of [bob.id, '', 'bob', '\ud800', '\0', 'x'.repeat(10_000), "' OR 1=1 --"]) {
    await t.rejects(accounts.deleteUser(id), NOT_FOUND)
    await t.rejects(accounts.updateUser(id, { enabled: false }), NOT_FOUND)
  }
})

t.test('a password change of a user that is deleted during the hashing answers not_found', async t => {
  const { rig, accounts, bob } = await startWithUsers()
  rig.duringDerivation = () => accounts.deleteUser(bob.id)
  await t.rejects(accounts.updateUser(bob.id, { password: 'quite another password' }), NOT_FOUND)
})
