import { join } from 'node:path'
import t from 'tap'
import { type RunningServer, serve } from '../../../src/runtime/serve/serve.js'
import { manageUsers } from '../../../src/runtime/users/manage-users.js'
import { readUsersSettings } from '../../../src/settings/local-settings.js'
import { readServeSettings, type ServeFlags } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'

interface Start {
  env?: Record<string, string>
  files?: Record<string, string>
  flags?: ServeFlags
}

/** Starts a server on the ledger of that folder. */
function start(folder: string, { env = {}, files = {}, flags = {} }: Start = {}): Promise<RunningServer> {
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', ...env }, files })
  return serve(
    readServeSettings({ only: 'ledger', db: join(folder, 'events.db'), port: '0', ...flags }, sources),
    sources,
  )
}

const ELSEWHERE: ServeFlags = { host: '0.0.0.0' }
const ADMIN_TOKEN = { EVENT_ADMIN_TOKEN: 'long-enough-secret-word' }
const BOOTSTRAP = { EVENT_BOOTSTRAP_USERNAME: 'ada', EVENT_BOOTSTRAP_PASSWORD_FILE: '/p' }
const PASSWORD = 'correct horse'

t.test('a ledger without users listens only on its own machine, unless configured otherwise', async t => {
  const folder = ownFolder(t)
  await t.rejects(start(folder, { flags: ELSEWHERE }), {
    category: 'configuration',
    code: 'ledger_open',
    message: /^Listening on 0\.0\.0\.0 would let others .*daybook users create/,
  })
  const open = await start(folder, { flags: { ...ELSEWHERE, allowOpen: true } })
  t.equal(open.ledger?.needsLogin, false)
  await open.close()
})

t.test('a host name other than localhost counts as reachable by others', async t => {
  await t.rejects(start(ownFolder(t), { flags: { host: 'ledger.example.org' } }), { code: 'ledger_open' })
})

t.test('a ledger that has or had an admin token may listen on any address', async t => {
  const folder = ownFolder(t)
  for (const env of [ADMIN_TOKEN, {}]) {
    const running = await start(folder, { flags: ELSEWHERE, env })
    t.equal(running.ledger?.needsLogin, true)
    await running.close()
  }
})

t.test('a ledger that ever had a user may listen on any address', async t => {
  const folder = ownFolder(t)
  const settings = readUsersSettings({ db: join(folder, 'events.db') }, memorySources({ env: ADMIN_TOKEN }))
  const work = async (users: Parameters<Parameters<typeof manageUsers>[1]>[0]) => {
    await users.create({ username: 'ada', password: PASSWORD })
    await users.delete('ada')
  }
  await manageUsers(settings, work, { mayBeNew: true })
  const running = await start(folder, { flags: ELSEWHERE })
  await running.close()
})

t.test('the first administrator is created once, and never changed again', async t => {
  const folder = ownFolder(t)
  const users = readUsersSettings({ db: join(folder, 'events.db') }, memorySources())
  const login = async ({ ledger }: RunningServer, password: string) => {
    const body = JSON.stringify({ username: 'ada', password })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${ledger?.url}/api/login`, { method: 'POST', headers, body })).status
  }
  const first = await start(folder, { env: BOOTSTRAP, files: { '/p': `${PASSWORD}\n` } })
  t.equal(first.ledger?.needsLogin, true)
  t.equal(await login(first, PASSWORD), 200)
  await first.close()

  const again = await start(folder, { env: BOOTSTRAP, files: { '/p': 'another password' } })
  t.equal(await login(again, 'another password'), 401)
  t.equal(await login(again, PASSWORD), 200)
  t.match(await manageUsers(users, managed => managed.list()), [{ username: 'ada', role: 'admin' }])
  await again.close()
})

t.test('a failure to create the administrator stops the start and releases the ledger', async t => {
  const folder = ownFolder(t)
  await t.rejects(start(folder, { env: BOOTSTRAP, files: { '/p': 'short\n' } }), {
    category: 'configuration',
    code: 'settings_invalid',
    errors: [{ field: 'EVENT_BOOTSTRAP_PASSWORD_FILE', detail: /at least 8/ }],
  })
  const running = await start(folder)
  await running.close()
})
