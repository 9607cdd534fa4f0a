import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { backUpLedger } from '../../src/runtime/backup/ledger-backup.js'
import { serve } from '../../src/runtime/serve/serve.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { ownFolder } from '../black-box/own-folder.js'
import { standInOwner } from '../runtime/stand-in-owner.js'
import { memorySources } from '../settings/memory-sources.js'
import { messageCreated } from '../support/events.js'
import { runDaybook, startDaybook, until } from './run-daybook.js'

/** A folder with the database of a ledger, maybe served, and the commands that work on it. */
async function start(t: Test, { isServed = false, events = 3 } = {}) {
  const folder = ownFolder(t)
  const database = join(folder, 'events.db')
  await record(t, database, events)
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', ARCH_HOME: folder } })
  const settings = () => readServeSettings({ only: 'ledger', port: '0', db: database }, sources)
  const running = isServed ? await serve(settings(), sources) : undefined
  if (running) t.teardown(() => running.close())
  const run = (command: 'backup' | 'restore', file: string, options = {}) =>
    runDaybook(t, ['ledger', command, file], { env: { EVENT_DB: database }, ...options })
  return { folder, database, run, url: running?.ledger?.url ?? '' }
}

/** Adds a number of events. */
async function record(t: Test, path: string, events: number) {
  const store = await openSqliteStore({
    path,
    clock: () => 1_800_000_000_000_000,
    onFailure: error => t.fail(`${error}`),
  })
  const before = (await store.events.stats()).event_count
  const keys = Array.from({ length: events }, (_, at) => String(before + at + 1))
  await store.events.record(keys.map(key => messageCreated(key)))
  const { epoch } = await store.events.health()
  await store.close()
  return epoch
}

/** The content of a database that no process has open. */
function look(path: string) {
  const connection = new sqlite.Database(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    const { events } = connection.get('SELECT count(*) AS events FROM events') as { events: number }
    const { value } = connection.get(`SELECT value FROM meta WHERE name = 'epoch'`) as { value: string }
    return { events, epoch: value }
  } finally {
    connection.close()
  }
}

/** The rollback journal of a transaction in another database: SQLite would write its pages into a copy. */
function interruptedJournal(folder: string): Buffer {
  const path = join(folder, 'other.db')
  const connection = new sqlite.Database(path)
  try {
    connection.exec('PRAGMA page_size = 8192; PRAGMA synchronous = OFF; CREATE TABLE facts (fact TEXT)')
    connection.exec(`BEGIN; INSERT INTO facts VALUES ('one')`)
    return readFileSync(`${path}-journal`)
  } finally {
    connection.close()
  }
}

t.test('a served ledger is backed up to a file that only its owner can read', async t => {
  const { folder, run, url } = await start(t, { isServed: true })
  const copy = join(folder, 'copy.db')
  const { code, out, err } = await run('backup', copy)
  t.match({ code, err }, { code: 0, err: '' })
  t.match(JSON.parse(out), { path: copy, bytes: statSync(copy).size, events: 3, schema_version: Number })
  t.equal(statSync(copy).mode & 0o777, 0o600)
  t.equal(look(copy).events, 3)
  t.same(
    readdirSync(folder).filter(name => name.startsWith('copy')),
    ['copy.db'],
    'one file, without a WAL',
  )
  const refused = await fetch(`${url}/api/backups`, {
    method: 'POST',
    body: JSON.stringify({ path: join(folder, 'x') }),
  })
  t.match([refused.status, await refused.json()], [403, { code: 'local_only' }])
})

t.test(
  'without a server, the command copies the file itself, compressed if the name asks for it, or to standard output',
  async t => {
    const { folder, run } = await start(t)
    const compressed = join(folder, 'copy.db.gz')
    t.match(JSON.parse((await run('backup', compressed)).out), { path: compressed, events: 3 })
    writeFileSync(join(folder, 'unpacked.db'), gunzipSync(readFileSync(compressed)))
    t.equal(look(join(folder, 'unpacked.db')).events, 3)
    const piped = join(folder, 'piped.db')
    t.match(await run('backup', '-', { into: piped }), { code: 0 })
    t.equal(look(piped).events, 3)
    const shown = await run('backup', join(folder, 'shown.db'), { atTerminal: true })
    t.match(
      shown.out,
      /^Copied and checked 3 events, the newest of 2027-01-15T08:00:00\.000002Z: .*shown\.db \(.* KiB\)\.\n$/,
    )
  },
)

t.test('a backup or an export whose reader ends early fails and reports it', async t => {
  const { database } = await start(t, { events: 400 })
  // Each writes to its output in its own way.
  for (const command of ['backup', 'export']) {
    const { child, ended } = startDaybook(t, ['ledger', command, '-'], { env: { EVENT_DB: database } })
    child.stdout.destroy()
    t.match(await ended, { code: 75, err: /^The program that reads the output ended before/ }, command)
  }
})

t.test('a full disk behind standard output is reported, and leaves no copy', async t => {
  const { folder, database, url } = await start(t, { isServed: true })
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const env = { EVENT_DB: database, EVENT_API_URL: url, TMPDIR: temporary }
  const lines = ['ledger backup -', 'ledger export -', 'api events --export csv', 'version']
  for (const line of [...lines, 'consume mail --print --once --from beginning']) {
    const { code, err } = await runDaybook(t, line.split(' '), { env, into: '/dev/full', errorsApart: true })
    t.match({ code, err }, { code: 75, err: /^The disk of standard output is full/ }, line)
  }
  t.same(readdirSync(temporary), [])
})

t.test('a backup that a signal ends leaves no file, and has the exit code of the signal', async t => {
  const { folder, database } = await start(t, { events: 400 })
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const copies = () => readdirSync(temporary, { recursive: true }).map(String)
  const toPipe = startDaybook(t, ['ledger', 'backup', '-'], { env: { EVENT_DB: database, TMPDIR: temporary } })
  // It is full before the whole copy is in it.
  toPipe.child.stdout.pause()
  await until(() => copies().some(name => name.endsWith('events.db')) && toPipe.child.stdout.readableLength > 0)
  toPipe.child.kill('SIGTERM')
  toPipe.child.stdout.resume()
  t.match(await toPipe.ended, { code: 143, err: '' })
  t.same(copies(), [])

  let hasLeft = false
  const { arrived } = await standInOwner(t, database, ({ method }) => {
    if (method === 'GET') return { body: { status: 'ok', database } }
    return res => res.on('close', () => (hasLeft = true))
  })
  const copy = join(folder, 'copy.db.gz')
  const viaServer = startDaybook(t, ['ledger', 'backup', copy], { env: { EVENT_DB: database } })
  await until(() => arrived.some(({ method }) => method === 'POST'))
  viaServer.child.kill('SIGINT')
  t.match(await viaServer.ended, { code: 130, out: '', err: '' })
  await until(() => hasLeft)
  t.same(
    readdirSync(folder).filter(name => name.startsWith('copy')),
    [],
  )
})

t.test('a backup that is aborted at any step leaves no file', async t => {
  const { folder, database } = await start(t, { events: 400 })
  const settings = readLocalSettings({ db: database }, memorySources({ env: { HOME: folder } }))
  for (const step of ['copying', 'checking', 'compressing']) {
    const stop = new AbortController()
    const onProgress = ({ name }: { name: string }) => {
      if (name === step) stop.abort()
    }
    const backup = backUpLedger(settings, join(folder, 'copy.db.gz'), { onProgress, signal: stop.signal })
    await t.rejects(backup, { name: 'AbortError' }, step)
    t.same(
      readdirSync(folder).filter(name => name.startsWith('copy')),
      [],
      step,
    )
  }
})

t.test('a backup overwrites no file, and names the obstacle', async t => {
  const { folder, run } = await start(t)
  const taken = join(folder, 'taken')
  writeFileSync(taken, 'mine')
  t.match(await run('backup', taken), { code: 5, err: /it exists/ })
  t.equal(readFileSync(taken, 'utf8'), 'mine')
  t.match(await run('backup', join(folder, 'missing', 'copy')), { code: 2, err: /no such folder/ })
  t.match(await run('backup', '-', { atTerminal: true }), { code: 2, err: /A terminal cannot show a copy/ })
  const nowhere = { env: { EVENT_DB: join(folder, 'nowhere.db') } }
  t.match(await run('backup', join(folder, 'copy'), nowhere), { code: 3, err: /no ledger at .*nowhere\.db/ })
})

t.test('a backup of a damaged ledger fails', async t => {
  const { folder, database, run } = await start(t, { events: 400 })
  const file = openSync(database, 'r+')
  writeSync(file, Buffer.alloc(4_096, 0x5a), 0, 4_096, 20 * 8_192)
  closeSync(file)
  t.match(await run('backup', join(folder, 'copy.db.gz')), { code: 78, err: /damaged/ })
  t.same(
    readdirSync(folder).filter(name => name.startsWith('copy')),
    [],
  )
})

t.test('a backup whose counters disagree with its events fails', async t => {
  const { folder, database, run } = await start(t)
  const connection = new sqlite.Database(database)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('DELETE FROM events WHERE seq = 2')
  connection.close()
  const { code, err } = await run('backup', join(folder, 'copy.db'))
  t.match({ code, err }, { code: 78, err: /it has 2 events, and its counters say 3/ })
})

t.test('a restored ledger has a new epoch, and the previous ledger is kept under another name', async t => {
  const { folder, database, run } = await start(t)
  const backup = join(folder, 'backup.db.gz')
  await run('backup', backup)
  const { epoch } = look(database)
  await record(t, database, 2)
  const restored = JSON.parse((await run('restore', backup)).out)
  t.match(restored, { database, events: 3, head: '2027-01-15T08:00:00.000002Z' })
  t.not(restored.epoch, epoch)
  t.same(look(database), { events: 3, epoch: restored.epoch })
  t.same(look(restored.replaced), { events: 5, epoch })
  t.match(restored.replaced, /\.replaced-\d{8}T\d{6}\.\d{3}Z$/, 'a restore in the same second does not replace it')
  t.equal(await record(t, database, 1), restored.epoch)
  t.equal(look(database).events, 4)
})

t.test('the WAL of the previous ledger is not applied to the restored one', async t => {
  const { folder, database, run } = await start(t)
  const backup = join(folder, 'backup.db')
  await run('backup', backup)
  // The files that a killed server leaves beside the database.
  writeFileSync(`${database}-wal`, 'a WAL of five events')
  const { replaced } = JSON.parse((await run('restore', backup)).out)
  t.equal(readFileSync(`${replaced}-wal`, 'utf8'), 'a WAL of five events')
  t.notOk(existsSync(`${database}-wal`))
  t.equal(look(database).events, 3)
})

t.test('a backup can be restored to a new place', async t => {
  const { folder, run } = await start(t)
  const backup = join(folder, 'backup.db')
  await run('backup', backup)
  const database = join(folder, 'new', 'events.db')
  const shown = await run('restore', backup, { env: { EVENT_DB: database }, atTerminal: true })
  t.match(shown, { code: 0, out: /^Restored 3 events, the newest of .*: .*new\/events\.db\.\n$/ })
  t.same(readdirSync(join(folder, 'new')), ['events.db'])
  t.equal(statSync(database).mode & 0o777, 0o600)
})

t.test('a backup and a restore succeed after earlier ones were killed during the check', async t => {
  const { folder, database, run } = await start(t)
  const backup = join(folder, 'backup.db')
  const journal = interruptedJournal(folder)
  for (const copy of [`${database}.restoring`, `${backup}.part`]) {
    mkdirSync(`${copy}.lock`)
    writeFileSync(`${copy}-journal`, journal)
  }
  writeFileSync(`${database}.restoring`, 'half')
  t.match(await run('backup', backup), { code: 0 })
  t.match(await run('restore', backup), { code: 0 })
  t.equal(look(database).events, 3)
  const { replaced } = JSON.parse((await run('restore', backup)).out)
  t.equal(look(replaced).events, 3)
  t.same(
    readdirSync(folder).filter(name => /restoring|part/u.test(name)),
    [],
  )
})

t.test('a served ledger is not replaced', async t => {
  const { folder, run } = await start(t, { isServed: true })
  const backup = join(folder, 'backup.db')
  await run('backup', backup)
  t.match(await run('restore', backup), { code: 5, err: /is open in process/ })
})

t.test('a file that is not a complete backup replaces nothing', async t => {
  const { folder, database, run } = await start(t, { events: 50 })
  const backup = join(folder, 'backup.db')
  await run('backup', backup)
  const whole = readFileSync(backup)
  const { epoch } = look(database)
  const newer = new sqlite.Database(backup)
  newer.exec('PRAGMA user_version = 1000')
  newer.close()
  // The ledger had no part in it.
  const damaged = (name: string) => ({
    code: 78,
    err: new RegExp(`^The backup \\S+/${name} cannot be restored. It is damaged, or not a ledger: [^.]+\\.\\n$`),
  })
  const cases: [string, Buffer, object][] = [
    ['text', Buffer.from('no database, but long enough to be read as one. '.repeat(20)), damaged('text')],
    ['cut', whole.subarray(0, whole.length / 2), damaged('cut')],
    ['empty', Buffer.alloc(0), damaged('empty')],
    ['cut.gz', gzipSync(whole).subarray(0, 1_000), { code: 2, err: /cut\.gz cannot be read/ }],
    ['newer', readFileSync(backup), { code: 78, err: /has schema 1000/ }],
  ]
  for (const [name, bytes, expected] of cases) {
    writeFileSync(join(folder, name), bytes)
    t.match(await run('restore', join(folder, name)), expected, name)
  }
  t.match(await run('restore', join(folder, 'missing')), { code: 3, err: /There is no backup at/ })
  t.match(await run('restore', folder), { code: 2, err: /cannot be read/ })
  t.same(look(database), { events: 50, epoch })
  t.same(
    readdirSync(folder).filter(name => name.startsWith('events')),
    ['events.db'],
  )
})
