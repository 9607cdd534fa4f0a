import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { serve } from '../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { ownFolder } from '../black-box/own-folder.js'
import { memorySources } from '../settings/memory-sources.js'
import { messageCreated } from '../support/events.js'
import { runDaybook } from './run-daybook.js'

const NOON = 1_800_000_000_000_000
const FIRST = '2027-01-15T08:00:00.000000Z'

async function start(t: Test, { isServed = false, sql = '' } = {}) {
  const folder = ownFolder(t)
  const database = join(folder, 'events.db')
  const store = await openSqliteStore({ path: database, clock: () => NOON, onFailure: error => t.fail(`${error}`) })
  await store.events.record(['a', 'b', 'c', 'd'].map(key => messageCreated(key)))
  await store.events.record([messageCreated('b')])
  const first = (await store.events.verify({ since: null, limit: 1 })).through?.digest ?? ''
  await store.close()
  if (sql) {
    const connection = new sqlite.Database(database)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    connection.exec(sql)
    connection.close()
  }
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', ARCH_HOME: folder } })
  const running = isServed
    ? await serve(readServeSettings({ only: 'ledger', port: '0', db: database }, sources), sources)
    : undefined
  if (running) t.teardown(() => running.close())
  const verify = (args: readonly string[] = [], options = {}) =>
    runDaybook(t, ['ledger', 'verify', ...args], { env: { EVENT_DB: database }, ...options })
  return { verify, first, url: running?.ledger?.url ?? '' }
}

for (const isServed of [false, true]) {
  t.test(`a ledger is verified ${isServed ? 'while it is served' : 'without a server'}`, async t => {
    const { verify, first, url } = await start(t, { isServed })
    const { code, out, err } = await verify()
    t.match({ code, err }, { code: 0, err: '' })
    const verification = JSON.parse(out)
    t.match(verification, { events: 4, after: null, pending: 0, problems: { length: 0 } })
    t.match(verification.head, { captured_at: '2027-01-15T08:00:00.000003Z', digest: /^[0-9a-f]{64}$/ })
    const later = await verify(['--since', FIRST, '--digest', first.toUpperCase()])
    t.match(JSON.parse(later.out), {
      events: 3,
      after: { digest: first },
      head: verification.head,
      problems: { length: 0 },
    })
    if (!isServed) return
    const health = await (await fetch(`${url}/api/health`)).json()
    t.match(health, { head: verification.head.captured_at, head_digest: verification.head.digest })
    const refused = await fetch(`${url}/api/verify`, { method: 'POST' })
    t.match([refused.status, await refused.json()], [403, { code: 'local_only' }])
  })
}

t.test('at a terminal, the command prints the digest to note down', async t => {
  const { verify } = await start(t)
  const { out } = await verify([], { atTerminal: true })
  t.match(
    stripVTControlCharacters(out),
    /^Verified 4 events: nothing was changed or removed\.\n {2}head {4}2027-01-15T08:00:00\.000003Z\n {2}digest {2}[0-9a-f]{64}\n$/,
  )
})

t.test('a changed event is named, and the exit code shows that something is wrong', async t => {
  const { verify } = await start(t, {
    sql: `UPDATE events SET body = replace(body, 'all green', 'all red') WHERE seq = 2`,
  })
  const { code, out } = await verify([], { atTerminal: true })
  t.match(
    { code, out: stripVTControlCharacters(out) },
    { code: 1, out: /^1 problem in 4 events:\nb, captured at 2027-.*: It differs from what was recorded/ },
  )
})

t.test('an invalid digest or instant is refused', async t => {
  const { verify } = await start(t)
  t.match(await verify(['--since', FIRST, '--digest', 'abc']), { code: 2, err: /--digest is not a digest/ })
  t.match(await verify(['--digest', 'ab'.repeat(32)]), { code: 2, err: /--since/ })
  t.match(await verify(['--since', 'yesterday']), { code: 2, err: /since/ })
})
