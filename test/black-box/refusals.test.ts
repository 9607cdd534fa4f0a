import { chmodSync, cpSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { entry, readAll, toLines } from './entries.js'
import { ownFolder, remainsOf } from './own-folder.js'
import { type RunningServer, refusedStart, startServer, startStatus } from './running-server.js'
import { readStoredFile } from './stored-file.js'

/** Nobody: a user without rights to anything of ours. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

t.setTimeout(120_000)

t.test('a folder that may not be written is refused, and nothing is put there', async t => {
  const folder = ownFolder(t)
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o555 })
  const home = join(folder, 'home')
  mkdirSync(home)
  // Root may write everywhere, so the server is somebody else.
  for (const path of [folder, home]) chmodSync(path, 0o777)
  const user = isRoot ? { uid: NOBODY } : {}
  const refusal = await refusedStart(t, { database: join(closed, 'events.db'), home, ...user })
  t.match(refusal, { code: 78, err: '', error: { code: 'ledger_folder_denied', detail: /may not read and write there/ } })
  t.same(readdirSync(closed), [])
})

t.test('a file of somebody else is refused, and keeps its bytes', async t => {
  const files: { name: string; bytes: Buffer; code: string; exit: number }[] = [
    { name: 'a text', bytes: Buffer.from('These are notes, not a database.\n'.repeat(400)), code: 'store_corrupt', exit: 75 },
    { name: 'random bytes', bytes: Buffer.alloc(20_000, 'ledger'), code: 'store_corrupt', exit: 75 },
    { name: 'a database cut in half', bytes: await halfADatabase(t), code: 'store_corrupt', exit: 75 },
    { name: 'a database of a newer release', bytes: newerDatabase(t), code: 'store_newer', exit: 78 },
  ]
  for (const { name, bytes, code, exit } of files) {
    const database = join(ownFolder(t), 'events.db')
    writeFileSync(database, bytes)
    const refusal = await refusedStart(t, { database })
    t.match(refusal, { code: exit, err: '', error: { code } }, name)
    t.ok(readFileSync(database).equals(bytes), `${name} keeps its bytes`)
    t.same(remainsOf(database), [], `nothing is left beside ${name}`)
  }
})

t.test('a folder in the place of the database is refused', async t => {
  const database = join(ownFolder(t), 'events.db')
  mkdirSync(join(database, 'something'), { recursive: true })
  const refusal = await refusedStart(t, { database })
  t.match(refusal, { code: 78, err: '', error: { code: /./, detail: /events\.db/ } })
  t.same(readdirSync(database), ['something'])
  t.same(remainsOf(database), [])
})

t.test('a page that was overwritten in the middle of the file is never taken for events', async t => {
  const database = join(ownFolder(t), 'events.db')
  const first = await startServer(t, { database })
  const events = Array.from({ length: 600 }, (_, n) => entry(`event-${n}`))
  for (let at = 0; at < 600; at += 200) await postBatch(first, events.slice(at, at + 200))
  await first.stop()
  overwritePagesOfEvents(database)

  const { code, out } = await startStatus(t, { database, check: true }).ended
  const { problems } = JSON.parse(out) as { problems: string[] }
  t.equal(code, 1)
  t.ok(problems.length > 0, 'the check finds it')

  const server = await startServer(t, { database })
  const answers = await Promise.all(events.map(event => server.http.get(`/api/events/${event.dedupe_key}`)))
  const whole = answers.filter(answer => answer.status === 200)
  const damaged = answers.filter(answer => answer.status !== 200)
  t.ok(damaged.length > 0)
  for (const answer of damaged) {
    if (answer.status !== 503) t.same([answer.status, answer.text], [503, 'a problem'])
  }
  t.match(damaged[0]?.json(), { code: 'store_corrupt', detail: /damaged/ })
  for (const answer of whole) t.match(answer.json(), { payload: { said: /^event-/ } })
  t.notMatch(server.log(), /"level":60/, 'the server lives on')
  t.match(await server.stop(), { signal: null })
})

t.test('a second server on one ledger names the first, which is not disturbed', async t => {
  const database = join(ownFolder(t), 'events.db')
  const first = await startServer(t, { database })
  await first.http.post('/api/events', entry('before'))
  const before = remainsOf(database)
  const refusals = await Promise.all([1, 2, 3].map(() => refusedStart(t, { database })))
  for (const refusal of refusals) {
    t.match(refusal, { code: 5, err: '', error: { code: 'ledger_owned' } })
    t.match(refusal.error.detail, `process ${first.pid} (server at ${first.url})`)
  }
  t.same(remainsOf(database), before)
  t.equal((await first.http.post('/api/events', entry('after'))).status, 201)
  t.equal((await readAll(first.http)).length, 2)
  t.match(await first.stop(), { code: 0 })
})

t.test('of servers that start at the same moment one serves and the others name it', async t => {
  const database = join(ownFolder(t), 'events.db')
  const starts = await Promise.allSettled([1, 2, 3, 4].map(() => startServer(t, { database })))
  const running = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
  t.equal(running.length, 1)
  for (const start of starts) {
    if (start.status === 'rejected') t.match(start.reason.message, new RegExp(`code 5[^]*process ${running[0]?.pid}`))
  }
  t.match(await running[0]?.stop(), { code: 0 })
  t.same(remainsOf(database), [])
})

t.test('a port that is in use is refused, and the ledger is let go', async t => {
  const database = join(ownFolder(t), 'events.db')
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const refusal = await refusedStart(t, { database, port })
  t.match(refusal, { code: 78, error: { code: 'address_in_use', detail: new RegExp(`${port} is in use`) } })
  t.same(remainsOf(database), [])
  t.match(await (await startServer(t, { database })).stop(), { code: 0 })
})

t.test('what a killed server leaves is cleared by the next', async t => {
  const database = join(ownFolder(t), 'events.db')
  const killed = await startServer(t, { database })
  await killed.http.post('/api/events', entry('kept'))
  await killed.kill()
  t.same(remainsOf(database).sort(), ['events.db-shm', 'events.db-wal', 'events.db.lock', 'events.db.owner', 'events.db.sock'])
  const server = await startServer(t, { database })
  t.same((await readAll(server.http)).map(event => event.dedupe_key), ['kept'])
  t.match(await server.stop(), { code: 0 })
  t.same(remainsOf(database), [])
})

t.test('so is each of these remains on its own', async t => {
  const remains: Record<string, (database: string, owner: string) => void> = {
    'a lock without an owner': database => mkdirSync(`${database}.lock`),
    'a guard without an owner': database => mkdirSync(`${database}-shm`),
    'shared memory that nobody uses': database => writeFileSync(`${database}-shm`, Buffer.alloc(32_768)),
    'the owner file of a dead process': (database, owner) => writeFileSync(`${database}.owner`, owner),
    'an owner file half written': (database, owner) => writeFileSync(`${database}.owner.0123456789abcdef.tmp`, owner.slice(0, 40)),
  }
  const folder = ownFolder(t)
  const original = join(folder, 'original.db')
  const first = await startServer(t, { database: original })
  await first.http.post('/api/events', entry('kept'))
  const owner = readFileSync(`${original}.owner`, 'utf8')
  await first.stop()
  for (const [name, leave] of Object.entries(remains)) {
    const database = join(folder, name, 'events.db')
    mkdirSync(join(folder, name))
    cpSync(original, database)
    leave(database, owner)
    const server = await startServer(t, { database })
    t.same((await readAll(server.http)).map(event => event.dedupe_key), ['kept'], name)
    t.match(await server.stop(), { code: 0 })
    t.same(remainsOf(database), [], name)
  }
})

t.test('something foreign in the place of the socket or the lock is refused, and stays', async t => {
  for (const suffix of ['.sock', '.lock']) {
    const database = join(ownFolder(t), 'events.db')
    writeFileSync(`${database}${suffix}`, 'of somebody else')
    const refusal = await refusedStart(t, { database })
    t.match(refusal, { code: 78, err: '', error: { detail: new RegExp(`events\\.db\\${suffix} is needed`) } })
    t.equal(readFileSync(`${database}${suffix}`, 'utf8'), 'of somebody else')
    t.same(remainsOf(database), [`events.db${suffix}`])
  }
})

async function postBatch({ http }: RunningServer, events: readonly unknown[]): Promise<void> {
  await http.post('/api/events', toLines(events), { type: 'application/x-ndjson' })
}

async function halfADatabase(t: Test): Promise<Buffer> {
  const database = join(ownFolder(t), 'events.db')
  const server = await startServer(t, { database })
  await postBatch(server, Array.from({ length: 300 }, (_, n) => entry(`event-${n}`)))
  await server.stop()
  return readFileSync(database).subarray(0, Math.floor(statSync(database).size / 2))
}

function newerDatabase(t: Test): Buffer {
  const database = join(ownFolder(t), 'events.db')
  const connection = new sqlite.Database(database)
  connection.exec('CREATE TABLE events (body TEXT); PRAGMA user_version = 9000')
  connection.close()
  return readFileSync(database)
}

/** Fills pages in the middle of the file that hold events, and no others, with zeros. */
function overwritePagesOfEvents(database: string): void {
  const { bodies } = readStoredFile(database)
  const bytes = readFileSync(database)
  const pageSize = bytes.readUInt16BE(16)
  const inTheMiddle = bodies.slice(250, 350)
  const pages = new Set(inTheMiddle.map(body => Math.floor(bytes.indexOf(body) / pageSize)).filter(page => page > 0))
  const file = openSync(database, 'r+')
  for (const page of pages) writeSync(file, Buffer.alloc(pageSize), 0, pageSize, page * pageSize)
}
