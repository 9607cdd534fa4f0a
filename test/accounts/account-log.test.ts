import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t from 'tap'
import type { AccountLogEntry } from '../../src/model/accounts/account-log.js'
import { Database } from '../../src/store/sqlite/files/database.js'
import { ACCOUNT_LOG_TABLE, addAccountLogEntry, listAccountLog } from '../../src/store/sqlite/tasks/account-log.js'
import { testFolder } from '../support/test-folder.js'
import { PASSWORD, startWithUsers } from './accounts-rig.js'

const FROM = { identity: 'admin_token', address: '192.0.2.7', requestId: 'r1' } as const

t.test(
  'the log records the actor, the change, the user and the address of every change of an account, and no secret',
  async t => {
    const entries: AccountLogEntry[] = []
    const { rig, accounts, ada, bob } = await startWithUsers({ writeLine: entry => entries.push(entry) })
    entries.length = 0
    const by = { ...FROM, identity: 'session', user: ada } as const
    await accounts.updateUser(bob.id, { role: 'admin', enabled: false, password: 'another long one' }, by)
    await accounts.updateUser(bob.id, { enabled: true }, FROM)
    const { id, token, prefix } = await accounts.tokens.issue(bob.id, FROM)
    await accounts.tokens.revoke(bob.id, id, FROM)
    await accounts.tokens.issue(bob.id, FROM)
    await accounts.tokens.revokeAll(bob.id, FROM)
    await accounts.login({ username: 'ada', password: PASSWORD, address: 'x' }, { ...FROM, identity: 'anonymous' })
    for (const username of ['BOB', 'my password']) {
      await t.rejects(accounts.login({ username, password: 'wrong', address: 'x' }))
    }
    await accounts.deleteUser(bob.id, FROM)
    const user = { id: bob.id, username: 'bob' }
    const where = { address: '192.0.2.7', request_id: 'r1' }
    const admin = { by: { identity: 'admin_token', user: null }, user, ...where }
    t.match(entries, [
      {
        action: 'ledger.user_changed',
        by: { identity: 'session', user: { id: ada.id, username: 'Ada' } },
        user,
        changes: { role: { from: 'member', to: 'admin' }, enabled: { from: true, to: false }, password: 'changed' },
        ...where,
      },
      { action: 'ledger.user_changed', ...admin },
      { action: 'ledger.token_issued', ...admin, changes: { token: { id, prefix } } },
      { action: 'ledger.token_revoked', ...admin, changes: { token: { id, prefix: null } } },
      { action: 'ledger.token_issued', ...admin },
      { action: 'ledger.tokens_revoked', ...admin },
      { action: 'ledger.login_succeeded', by: { identity: 'session', user: { id: ada.id } }, user: { id: ada.id } },
      { action: 'ledger.login_failed', by: { identity: 'anonymous', user: null }, user, address: null },
      { action: 'ledger.login_failed', user: null },
      { action: 'ledger.user_deleted', ...admin, changes: { username: { from: 'bob', to: null } } },
    ])
    t.same(entries[1]?.changes, { enabled: { from: false, to: true } })
    const kept = await accounts.listLog(entries.length)
    t.same(kept, [...entries].reverse(), 'newest first')
    t.same(await accounts.listLog(1), [entries.at(-1)])
    for (const secret of [token, 'another long one', 'wrong', 'my password', 'pbkdf2']) {
      t.notOk(JSON.stringify(kept).includes(secret), secret)
    }
    t.ok(await rig.users.isClosed())
  },
)

t.test('a request that is refused or changes nothing adds no entry', async t => {
  const { accounts, ada, bob } = await startWithUsers()
  const before = await accounts.listLog(1)
  await t.rejects(accounts.deleteUser(ada.id), { code: 'last_admin' })
  await t.rejects(accounts.updateUser(ada.id, { role: 'member' }), { code: 'last_admin' })
  await t.rejects(accounts.createUser({ username: 'BOB', password: PASSWORD }), { code: 'username_taken' })
  await t.rejects(accounts.tokens.revoke(bob.id, 'token_none'), { code: 'not_found' })
  await t.rejects(accounts.tokens.issue('user_none'), { code: 'not_found' })
  await accounts.tokens.revokeAll(bob.id)
  t.same(await accounts.listLog(1), before)
})

t.test('a login succeeds when its log entry cannot be stored', async t => {
  const lost: unknown[] = []
  const { rig, accounts } = await startWithUsers({ reportLoss: error => lost.push(error) })
  rig.broken = 'addToLog'
  await accounts.login({ username: 'ada', password: PASSWORD, address: 'x' })
  t.equal(lost.length, 1)
})

t.test('entries of logins never displace entries of changes', async t => {
  const path = join(testFolder(t), 'log.db')
  new sqlite.Database(path).close()
  const database = new Database(path, { noun: 'ledger', refuseForeign: () => undefined })
  t.teardown(() => database.close())
  database.exec(ACCOUNT_LOG_TABLE)
  const entry = (action: AccountLogEntry['action'], at: string): AccountLogEntry => ({
    at,
    action,
    by: { identity: 'anonymous', user: null },
    user: null,
    changes: {},
    address: null,
    request_id: null,
  })
  for (const at of ['1', '2', '3']) addAccountLogEntry(database, entry('ledger.user_changed', at), 2)
  for (const at of ['4', '5', '6']) addAccountLogEntry(database, entry('ledger.login_failed', at), 2)
  t.same(
    listAccountLog(database, 10).map(({ at }) => at),
    ['6', '5', '3', '2'],
  )
})
