import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { COMMAND } from '../../../src/accounts/account-log.js'
import { LedgerClient } from '../../../src/client/ledger-client.js'
import { serve } from '../../../src/runtime/serve/serve.js'
import { manageUsers } from '../../../src/runtime/users/manage-users.js'
import { RemoteAccounts } from '../../../src/runtime/users/remote-accounts.js'
import { readUsersSettings, type UsersSettings } from '../../../src/settings/local-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { standIn } from '../../client/stand-in.js'
import { memorySources } from '../../settings/memory-sources.js'

const PASSWORD = 'correct horse'

function settingsOf(folder: string, env: Record<string, string> = {}): UsersSettings {
  return readUsersSettings({ db: join(folder, 'events.db') }, memorySources({ env }))
}

async function startServer(t: Test, folder: string): Promise<void> {
  const env = { EVENT_LOG_LEVEL: 'silent', EVENT_ROOT_PATH: '/books' }
  const sources = memorySources({ env })
  const settings = readServeSettings({ only: 'ledger', db: join(folder, 'events.db'), port: '0' }, sources)
  const running = await serve(settings, sources)
  t.teardown(() => running.close())
}

for (const hasServer of [false, true]) {
  t.test(`users are managed ${hasServer ? 'through the server' : 'in the file'}, by name or by id`, async t => {
    const folder = ownFolder(t)
    const settings = settingsOf(folder)
    if (hasServer) await startServer(t, folder)
    const manage = <Result>(work: Parameters<typeof manageUsers<Result>>[1]) =>
      manageUsers(settings, work, { mayBeNew: true })

    const ada = await manage(users => users.create({ username: 'Ada', password: PASSWORD, role: 'admin' }))
    t.match(ada, { id: /^user_/, username: 'Ada', role: 'admin', enabled: true })
    t.notMatch(JSON.stringify(ada), /pbkdf2|correct/)
    await manage(async users => {
      await t.rejects(users.create({ username: 'aDA', password: PASSWORD }), { code: 'username_taken' })
      await t.rejects(users.create({ username: 'bob', password: 'short' }), { code: 'invalid_field' })
      await t.rejects(users.update('ada', { enabled: false }), { code: 'last_admin' })
      await t.rejects(users.update('ada', { role: 'member' }), { code: 'last_admin' })
      await t.rejects(users.delete(ada.id), { code: 'last_admin' })
      await t.rejects(users.issueToken('bob'), { code: 'not_found', message: /There is no user "bob"\./ })
    })
    await manage(async users => {
      const bob = await users.create({ username: 'bob', password: PASSWORD })
      t.equal(bob.role, 'member')
      t.match(await users.update('BOB', { role: 'admin' }), { id: bob.id, role: 'admin' })
      t.match(await users.update(bob.id, { enabled: false }), { enabled: false })
      t.match(await users.list(), [{ username: 'Ada' }, { username: 'bob', enabled: false }])
    })
    await manage(async users => {
      const { user, token } = await users.issueToken('ada')
      t.equal(user.username, 'Ada')
      t.match(token, { id: String, token: /^tok_[A-Za-z0-9_-]{43}$/, prefix: token.token.slice(0, 8) })
      const { token: other } = await users.issueToken(ada.id)
      t.match(await users.listTokens('ADA'), [{ id: token.id, prefix: token.prefix }, { id: other.id }])
      t.notMatch(JSON.stringify(await users.listTokens('ada')), token.token)
      await users.revokeToken('ada', token.id)
      await t.rejects(users.revokeToken('ada', token.id), { code: 'not_found' })
      t.match(await users.listTokens('ada'), [{ id: other.id }])
      await users.revokeTokens('ada')
      t.same(await users.listTokens('ada'), [])
    })
    t.match(await manage(users => users.delete('Bob')), { username: 'bob' })
    t.match(await manage(users => users.list()), [{ id: ada.id }])
    const [deleted, ...before] = await manage(users => users.listLog(100))
    t.match(deleted, {
      action: 'ledger.user_deleted',
      by: { identity: 'command', user: null },
      user: { username: 'bob' },
    })
    t.match(before.at(-1), { action: 'ledger.user_created', by: { identity: 'command' }, user: { username: 'Ada' } })
  })
}

t.test('with an admin token, the last administrator can be deleted', async t => {
  const settings = settingsOf(ownFolder(t), { EVENT_ADMIN_TOKEN: 'long-enough-secret-word' })
  await manageUsers(
    settings,
    async users => {
      await users.create({ username: 'ada', password: PASSWORD, role: 'admin' })
      await users.delete('ada')
      t.same(await users.list(), [])
    },
    { mayBeNew: true },
  )
})

t.test('the command to create a user creates a ledger, and no other user command does', async t => {
  const folder = ownFolder(t)
  const settings = settingsOf(join(folder, 'new', 'place'))
  await t.rejects(
    manageUsers(settings, users => users.list()),
    { code: 'ledger_missing' },
  )
  t.notOk(existsSync(join(folder, 'new')))
})

t.test('a change with an unknown outcome is not repeated', async t => {
  const path = join(ownFolder(t), 's')
  const server = await standIn(t, () => res => res.destroy(), { path })
  const users = new RemoteAccounts(new LedgerClient({ socketPath: path }))
  const changes = [() => users.tokens.issue('u', COMMAND), () => users.deleteUser('u'), () => users.updateUser('u', {})]
  for (const change of changes) {
    t.match(await change().catch(error => error), { category: 'unavailable', code: 'outcome_unknown' })
  }
  await t.rejects(users.listUsers(), { code: 'connection_lost' }, 'what changes nothing may be asked again')
  t.equal(server.arrived.length, 4)
})
