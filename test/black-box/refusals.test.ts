import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { exitCodeOf } from '../../src/cli/exit-codes.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import type { ServeFlags } from '../../src/settings/serve-settings.js'
import { type ServerHere, serveHere } from '../runtime/serve/serve-here.js'
import { entry, readAll, toLines } from './entries.js'
import { HttpClient } from './http-client.js'
import { filesBeside, ownFolder } from './own-folder.js'
import { asRefusal, refusedStart, startServer, startStatus } from './running-server.js'
import { readStoredFile } from './stored-file.js'

const EVENTS = Array.from({ length: 600 }, (_, n) => entry(`event-${n}`))

t.setTimeout(600_000)

/** The file of a ledger with these events, as a server leaves it. */
const sample = await sampleLedger(t)

t.test('a server refuses a folder without write permission, and writes nothing there', async t => {
  const folder = ownFolder(t)
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o555 })
  const home = join(folder, 'home')
  mkdirSync(home)
  const refusal = await refusedStart(t, { database: join(closed, 'events.db'), home, bound: true })
  t.match(refusal, {
    code: 78,
    err: '',
    error: { code: 'ledger_folder_denied', detail: /may not read and write there/ },
  })
  t.same(readdirSync(closed), [])
})

t.test('commands and servers refuse a folder or an owner file that they may not read', async t => {
  const folder = ownFolder(t)
  const database = join(folder, 'closed', 'events.db')
  mkdirSync(join(folder, 'closed'))
  writeFileSync(database, sample)
  writeFileSync(`${database}.owner`, '')
  const options = { database, home: join(folder, 'home'), bound: true }
  const denied = { code: 78, err: '', error: { code: 'ledger_folder_denied' } }
  chmodSync(`${database}.owner`, 0o000)
  t.match(await refusedStart(t, options), denied)
  chmodSync(join(folder, 'closed'), 0o000)
  t.match(asRefusal(await startStatus(t, options).ended), denied)
  chmodSync(join(folder, 'closed'), 0o700)
})

t.test('a file of another program is refused, and keeps its bytes', async t => {
  const files: { name: string; bytes: Buffer; code: string }[] = [
    {
      name: 'a text',
      bytes: Buffer.from('These are notes, not a database.\n'.repeat(400)),
      code: 'store_corrupt',
    },
    { name: 'random bytes', bytes: Buffer.alloc(20_000, 'ledger'), code: 'store_corrupt' },
    { name: 'a database cut in half', bytes: sample.subarray(0, sample.length / 2), code: 'store_corrupt' },
    { name: 'a database of a newer release', bytes: newerLedger(t), code: 'store_newer' },
    { name: 'a database without events', bytes: foreignDatabase(t, 'notes (id, text)'), code: 'store_foreign' },
    { name: 'a database with other events', bytes: foreignDatabase(t, 'events (id, at)'), code: 'store_foreign' },
  ]
  for (const { name, bytes, code } of files) {
    const database = join(ownFolder(t), 'events.db')
    writeFileSync(database, bytes)
    const error = await serve(t, database).catch(error => error)
    t.match({ exit: exitCodeOf(error), error }, { exit: 78, error: { code } }, name)
    t.ok(readFileSync(database).equals(bytes), `${name} keeps its bytes`)
    t.same(filesBeside(database), [], `nothing is left beside ${name}`)
  }
})

t.test('the server prints why it refuses a file of another program', async t => {
  const database = join(ownFolder(t), 'events.db')
  writeFileSync(database, 'These are notes, not a database.\n'.repeat(400))
  t.match(await refusedStart(t, { database }), { code: 78, err: '', error: { code: 'store_corrupt' } })
})

t.test('a folder in the place of the database is refused', async t => {
  const database = join(ownFolder(t), 'events.db')
  mkdirSync(join(database, 'something'), { recursive: true })
  await t.rejects(serve(t, database), {
    category: 'configuration',
    code: 'ledger_path_taken',
    message: /events\.db is not a file/,
  })
  t.same(readdirSync(database), ['something'])
  t.same(filesBeside(database), [])
})

t.test('an overwritten page in the middle of the file is never read as events', async t => {
  const database = join(ownFolder(t), 'events.db')
  writeFileSync(database, damagedLedger(t))
  const { code, out } = await startStatus(t, { database, check: true }).ended
  const { problems } = JSON.parse(out) as { problems: string[] }
  t.equal(code, 1)
  t.ok(problems.length > 0, 'the check finds it')

  const server = await startServer(t, { database })
  const asked = EVENTS.slice(200, 400)
  const answers = await Promise.all(asked.map(event => server.http.get(`/api/events/${event.dedupe_key}`)))
  const whole = answers.filter(answer => answer.status === 200)
  t.ok(whole.length > 90, 'the others can be read')
  const damaged = answers.filter(answer => answer.status !== 200)
  t.ok(damaged.length > 0)
  t.same([...new Set(damaged.map(answer => answer.status))], [503])
  t.match(damaged[0]?.json(), { code: 'store_corrupt', detail: /damaged/ })
  t.match((await server.http.get('/api/events?limit=500')).json(), { code: 'store_corrupt' })
  t.equal((await server.http.post('/api/events', entry('one more'))).status, 201)
  const accepted = asked.filter((_, n) => answers[n]?.status === 200).map(event => event.dedupe_key)
  t.same(
    whole.map(answer => answer.json<StoredEvent>().payload.said),
    accepted,
  )
  t.notMatch(server.log(), /"level":60/, 'the server lives on')
  t.match(await server.stop(), { signal: null })
})

t.test('of servers that start at the same moment one serves, the others name it, and so does a later one', async t => {
  const database = join(ownFolder(t), 'events.db')
  const starts = await Promise.allSettled([1, 2, 3].map(() => startServer(t, { database })))
  const running = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
  const [first] = running
  if (first === undefined) throw new Error('No server started.')
  t.equal(running.length, 1)
  for (const start of starts) {
    if (start.status === 'rejected') t.match(start.reason.message, new RegExp(`code 5.*process ${first.pid}`, 's'))
  }
  await first.http.post('/api/events', entry('before'))
  const before = filesBeside(database)
  const later = await refusedStart(t, { database })
  t.match(later, { code: 5, err: '', error: { code: 'ledger_owned' } })
  t.match(later.error.detail, `process ${first.pid} (server at ${first.url})`)
  t.same(filesBeside(database), before)
  t.equal((await first.http.post('/api/events', entry('after'))).status, 201)
  t.equal((await readAll(first.http)).length, 2)
  t.match(await first.stop(), { code: 0 })
  t.same(filesBeside(database), [])
})

t.test('a server whose port is in use refuses to start and releases the ledger', async t => {
  const database = join(ownFolder(t), 'events.db')
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  await t.rejects(serve(t, database, { port: String(port) }), {
    category: 'configuration',
    code: 'address_in_use',
    message: new RegExp(`${port} is in use`),
  })
  t.same(filesBeside(database), [])
})

t.test('the next server removes the stale files of killed servers', async t => {
  const database = join(ownFolder(t), 'events.db')
  const killed = await startServer(t, { database })
  await killed.http.post('/api/events', entry('kept'))
  const owner = readFileSync(`${database}.owner`, 'utf8')
  await killed.kill()
  t.same(filesBeside(database).sort(), [
    'events.db-shm',
    'events.db-wal',
    'events.db.lock',
    'events.db.owner',
    'events.db.sock',
  ])
  await startAndStop(t, database, 1)

  const remains: Record<string, () => void> = {
    'a lock and a guard without an owner': () => {
      mkdirSync(`${database}.lock`)
      mkdirSync(`${database}-shm`)
    },
    'the owner file of a dead process, another one half written, and shared memory that no process uses': () => {
      writeFileSync(`${database}.owner`, owner)
      writeFileSync(`${database}.owner.0123456789abcdef.tmp`, owner.slice(0, 40))
      writeFileSync(`${database}-shm`, Buffer.alloc(32_768))
    },
  }
  for (const [name, leave] of Object.entries(remains)) {
    leave()
    await startAndStop(t, database, 1)
    t.pass(name)
  }
})

/** A server in this process: what it refuses does not depend on how it was started. */
function serve(t: Test, database: string, flags: ServeFlags = {}): Promise<ServerHere> {
  return serveHere(t, { home: join(dirname(database), 'home'), db: database, only: 'ledger', ...flags })
}

async function startAndStop(t: Test, database: string, events: number): Promise<void> {
  const server = await serve(t, database)
  const http = new HttpClient(server.url)
  t.equal((await readAll(http)).length, events)
  http.close()
  await server.close()
  t.same(filesBeside(database), [])
}

async function sampleLedger(t: Test): Promise<Buffer> {
  const database = join(ownFolder(t), 'events.db')
  const server = await serve(t, database)
  const http = new HttpClient(server.url)
  await http.post('/api/events', toLines(EVENTS), { type: 'application/x-ndjson' })
  http.close()
  await server.close()
  return readFileSync(database)
}

/** The sample as a newer release leaves it. */
function newerLedger(t: Test): Buffer {
  const database = join(ownFolder(t), 'events.db')
  writeFileSync(database, sample)
  const connection = new sqlite.Database(database)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA user_version = 9000')
  connection.close()
  return readFileSync(database)
}

/** A foreign database with one table. */
function foreignDatabase(t: Test, table: string): Buffer {
  const path = join(ownFolder(t), 'foreign.db')
  const connection = new sqlite.Database(path)
  connection.exec(`CREATE TABLE ${table}`)
  connection.close()
  return readFileSync(path)
}

/** The sample with zeros in pages with events in the middle of the file. */
function damagedLedger(t: Test): Buffer {
  const database = join(ownFolder(t), 'events.db')
  writeFileSync(database, sample)
  const { bodies } = readStoredFile(database)
  const bytes = readFileSync(database)
  const pageSize = bytes.readUInt16BE(16)
  for (const body of bodies.slice(250, 350)) {
    const page = Math.floor(bytes.indexOf(body) / pageSize)
    if (page > 0) bytes.fill(0, page * pageSize, (page + 1) * pageSize)
  }
  return bytes
}
