import t, { type Test } from 'tap'
import { createAccounts } from '../../src/accounts/ledger-accounts.js'
import { PasswordHasher } from '../../src/login/password-hasher.js'
import { openPostgresStore } from '../../src/store/postgres/store.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { ITERATIONS, NOON, PASSWORD } from './accounts-rig.js'

const ANOTHER = 'quite another password'
const ADDRESS = '192.0.2.1'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  /** Accounts of a server that loses its database after each change of a user, and two sessions of one user. */
  const start = async (t: Test) => {
    const store = await openPostgresStore({ address: await cluster.emptyLedger(t) })
    t.teardown(() => store.close())
    const { sessions } = store.multiServer
    let isCutOff = false
    const unlessCutOff =
      <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
      (...given: Given) =>
        isCutOff ? Promise.reject(new Error('The database is away.')) : call(...given)
    const accounts = await createAccounts({
      users: {
        ...store.users,
        update: (...given) =>
          store.users.update(...given).finally(() => {
            isCutOff = true
          }),
      },
      storedSessions: {
        ...sessions,
        renew: unlessCutOff(sessions.renew),
        list: unlessCutOff(sessions.list),
        deleteOf: unlessCutOff(sessions.deleteOf),
        deleteAllOf: unlessCutOff(sessions.deleteAllOf),
      },
      sessionTtlSeconds: 60,
      maxSessions: 9,
      passwordMinLength: 8,
      throttleLogins: false,
      now: () => NOON,
      elapsed: () => 0,
      hasher: new PasswordHasher({ iterations: ITERATIONS }),
    })
    await accounts.createUser({ username: 'ada', password: 'the only administrator', role: 'admin' })
    const user = await accounts.createUser({ username: 'bob', password: PASSWORD })
    const logIn = async () =>
      (await accounts.login({ username: 'bob', password: PASSWORD, address: ADDRESS })).sessionToken
    const tokens = [await logIn(), await logIn()] as const
    const kinds = () => Promise.all(tokens.map(async session => (await accounts.identify({ session })).kind))
    return { accounts, user, session: tokens[0], kinds, reconnect: () => (isCutOff = false) }
  }
  const away = { message: 'The database is away.' }
  const ended = ['anonymous', 'anonymous']

  t.test('a server that stops after an admin set a password leaves no session with the old one', async t => {
    const { accounts, user, kinds } = await start(t)
    t.same(await kinds(), ['session', 'session'])
    await t.rejects(accounts.updateUser(user.id, { password: ANOTHER }), away)
    t.same(await kinds(), ended)
  })

  t.test('a server that stops after a user was disabled leaves no session for when it is enabled again', async t => {
    const { accounts, user, kinds, reconnect } = await start(t)
    await t.rejects(accounts.updateUser(user.id, { enabled: false }), away)
    reconnect()
    await accounts.updateUser(user.id, { enabled: true })
    t.same(await kinds(), ended)
  })

  t.test('a server that stops after a user changed its password leaves no session from before that', async t => {
    const { accounts, user, session, kinds } = await start(t)
    const input = { current_password: PASSWORD, password: ANOTHER }
    const change = { user, input, address: ADDRESS, session }
    await t.rejects(accounts.changeOwnPassword(change, { identity: 'session', user }), away)
    t.same(await kinds(), ended)
  })
}
