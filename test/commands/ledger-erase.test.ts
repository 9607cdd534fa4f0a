import { readFileSync, statSync } from 'node:fs'
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

/** Events 0 to 59 are of the actor 17, 60 of another with this name. */
async function start(t: Test, { isServed = false, isOlder = false } = {}) {
  const folder = ownFolder(t)
  const database = join(folder, 'events.db')
  if (isOlder) {
    const older = new sqlite.Database(database)
    older.exec('CREATE TABLE meta (name TEXT)')
    older.exec('DROP TABLE meta; VACUUM')
    older.close()
  }
  const store = await openSqliteStore({ path: database, clock: () => NOON, onFailure: error => t.fail(`${error}`) })
  const actor = (id: string, display: string) => ({ actor: { id, display, metadata: {} } })
  await store.events.record([
    ...Array.from({ length: 60 }, (_, n) => messageCreated(`chat:${n}`, actor('17', 'Zebulon'))),
    messageCreated('chat:60', actor('18', '17')),
  ])
  await store.close()
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', ARCH_HOME: folder } })
  const running = isServed
    ? await serve(readServeSettings({ only: 'ledger', port: '0', db: database }, sources), sources)
    : undefined
  if (running) t.teardown(() => running.close())
  const run = (args: readonly string[], options = {}) =>
    runDaybook(t, ['ledger', ...args], { env: { EVENT_DB: database }, ...options })
  return { database, run, url: running?.ledger?.url ?? '' }
}

for (const isServed of [false, true]) {
  t.test(`all events of an actor are erased ${isServed ? 'through the server' : 'without a server'}`, async t => {
    const { database, run, url } = await start(t, { isServed })
    const { code, out, err } = await run(['erase', '--actor', '17', '--reason', 'request 4', '--yes'])
    t.match({ code, err }, { code: 0, err: '' })
    t.match(JSON.parse(out), { erased: 60, entries: [/^ledger:erased:/, /^ledger:erased:/] })
    for (const file of [database, ...(isServed ? [`${database}-wal`] : [])]) {
      t.notMatch(readFileSync(file).toString('latin1'), /Zebulon/)
    }
    const verified = await run(['verify'])
    t.match([verified.code, JSON.parse(verified.out)], [0, { events: 63, problems: { length: 0 } }])
    const again = await run(['erase', '--actor', '17', '--reason', 'x', '--yes'])
    t.match(JSON.parse(again.out), { erased: 0, entries: { length: 0 } })
    if (!isServed) return
    const page = JSON.parse(await (await fetch(`${url}/api/events?source=chat&order=asc`)).text())
    t.match(page, { count: 61, earliest: '2027-01-15T08:00:00.000000Z' })
    t.match(page.items[60], { actor: { display: '17' } }, 'a name that is equal to the id is of another actor')
    const csv = await (await fetch(`${url}/api/export?format=csv&source=chat`)).text()
    t.match(csv.split('\r\n')[1], /,chat:0,.*,request 4$/)
    const story = JSON.parse(await (await fetch(`${url}/api/events/chat%3A0/story`)).text())
    t.equal(story.items.length, 1)
  })
}

t.test('the command asks twice at a terminal, and another answer erases nothing', async t => {
  const { run } = await start(t)
  const erase = ['erase', 'chat:1', '--reason', 'by mistake']
  const typed = (input: string) => run(erase, { atTerminal: true, input })
  for (const input of ['no\n', 'yes\nchat:2\n', 'yes\n']) {
    t.match(await typed(input), { code: 2, err: /Nothing was erased/ }, JSON.stringify(input))
  }
  const { code, out, err } = await typed('yes\nchat:1\n')
  t.match({ code, err }, { code: 0, err: /Erase the content of the event chat:1 .*cannot be undone/s })
  t.match(stripVTControlCharacters(out), /^Erased the content of 1 event\. Recorded as:\n {2}ledger:erased:/)
  t.match(await typed('yes\nchat:1\n'), { code: 5, err: /was erased at .* already/ })
})

t.test('a request that cannot be carried out is refused', async t => {
  const { run } = await start(t)
  t.match(await run(['erase', 'chat:1', '--reason', 'x']), { code: 2, err: /no terminal to ask at.*--yes/s })
  t.match(await run(['erase', '--reason', 'x', '--yes']), { code: 2, err: /either a dedupe key or --actor/ })
  t.match(await run(['erase', 'chat:1', '--actor', '17', '--reason', 'x', '--yes']), { code: 2 })
  t.match(await run(['erase', 'chat:1', '--yes']), { code: 2, err: /reason/ })
  t.match(await run(['erase', 'chat:1', '--reason', ' ', '--yes']), { code: 2, err: /--reason/ })
  t.match(await run(['erase', 'chat:99', '--reason', 'x', '--yes']), { code: 3 })
  const { out } = await run(['erase', 'chat:1', '--reason', 'x', '--yes'])
  const [entry] = JSON.parse(out).entries
  t.match(await run(['erase', entry, '--reason', 'x', '--yes']), { code: 5, err: /cannot be erased/ })
})

t.test('the file of an older release is rebuilt, and then releases unused space', async t => {
  const { database, run } = await start(t, { isOlder: true })
  const vacuum = () => {
    const connection = new sqlite.Database(database)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    const [row] = connection.all('PRAGMA auto_vacuum')
    connection.close()
    return row?.auto_vacuum
  }
  t.equal(vacuum(), 0)
  const { code, out } = await run(['compact'])
  t.equal(code, 0)
  t.match(JSON.parse(out), { database, bytes: statSync(database).size })
  t.equal(vacuum(), 2)
  t.match(JSON.parse((await run(['verify'])).out), { events: 61, problems: { length: 0 } })
})
