import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { nativeSqlite } from '../support/native-sqlite.js'
import { entry, readAll } from './entries.js'
import { Load } from './load.js'
import { native, nativeShell } from './native-sqlite.js'
import { filesBeside, ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'
import { pick, SEED, seeded } from './seeded.js'
import { SentEvents } from './sent-events.js'
import { readStoredFile } from './stored-file.js'

const READS = [
  'SELECT count(*), max(captured_us) FROM events',
  'SELECT body FROM events ORDER BY seq DESC LIMIT 20',
  "SELECT json_extract(body, '$.seen_count') FROM events LIMIT 100",
  'PRAGMA quick_check',
  '.dump subscriptions',
]
/** Concurrent writers are refused, but hold the lock of sqlite3 for a moment, for which a reader waits. */
const PATIENT = ['-cmd', '.timeout 30000']
/** The error of a read that found pages of two states. Source: decision 4. */
const TWO_MOMENTS = /database disk image is malformed/
const WRITES = [
  'DELETE FROM events',
  "UPDATE events SET body = 'x'",
  'BEGIN IMMEDIATE; ROLLBACK',
  'BEGIN EXCLUSIVE; ROLLBACK',
  'CREATE TABLE mine (x)',
  'DROP TABLE events',
  'VACUUM',
  'REINDEX',
  'PRAGMA journal_mode = DELETE',
  'PRAGMA journal_mode = TRUNCATE',
  'PRAGMA wal_checkpoint(TRUNCATE)',
  'PRAGMA user_version = 7',
]

t.setTimeout(600_000)

t.test('sqlite3 on the file of a running server', nativeSqlite(), async t => {
  t.test('under load, sqlite3 reads, cannot write, and causes no loss of events', async t => {
    const database = join(ownFolder(t), 'events.db')
    const sentEvents = new SentEvents()
    const random = seeded(SEED)
    const server = await startServer(t, { database })
    const load = new Load(t, { url: server.url, sentEvents, random, prefix: 'live' })
    const wrong: string[] = []
    let looks = 0
    const look = async (statements: readonly string[], allowed: boolean) => {
      while (load.cut === 0 && looks < 120) {
        looks += 1
        const sql = pick(random, statements) ?? ''
        const { ok, out, err } = await native(database, sql, allowed ? PATIENT : [])
        // A read may find pages of two states, and then fails with an error; the ledger is checked below.
        if (allowed && !ok && !TWO_MOMENTS.test(err)) wrong.push(`${sql} was refused: ${err}`)
        if (!allowed && ok && !/^1\|/.test(out) && !/^wal$/.test(out)) wrong.push(`${sql} was allowed: ${out}`)
        if (!allowed && !ok && !/readonly|locked/.test(err)) wrong.push(`${sql} failed with ${err}`)
      }
    }
    await Promise.all([look(READS, true), look(WRITES, false)])
    await load.stop()
    t.same(wrong, [])
    const events = await readAll(server.http)
    t.same(sentEvents.compareEvents(events), [])
    t.same(await storedEvents(database), events, 'SELECT body gives every event complete, while the server runs')
    t.match(await native(database, 'PRAGMA integrity_check'), { ok: true, out: 'ok' })
    await server.kill()
    t.same(await storedEvents(database), events, 'and after it was killed')
    const next = await startServer(t, { database })
    t.same(await readAll(next.http), events)
    t.match(await next.stop(), { code: 0 })
    t.same(readStoredFile(database).problems, [])
  })

  t.test('no write of sqlite3 changes the database', async t => {
    const database = join(ownFolder(t), 'events.db')
    const server = await startServer(t, { database })
    await server.http.post('/api/events', entry('kept'))
    const log = () => statSync(`${database}-wal`)
    const { ino, size } = log()
    for (const sql of WRITES) await native(database, sql)
    for (const flags of [['-readonly'], ['-cmd', 'PRAGMA query_only = 1']]) {
      t.match(await native(database, 'SELECT count(*) FROM events', flags), { ok: true, out: /1$/ })
    }
    t.equal(log().ino, ino, 'the log is the same file')
    t.ok(log().size >= size)
    t.ok(statSync(`${database}-shm`).isDirectory(), 'the guard stands')
    t.equal((await server.http.post('/api/events', entry('after'))).status, 201)
    await server.kill()
    const next = await startServer(t, { database })
    t.same(
      (await readAll(next.http)).map(event => event.dedupe_key),
      ['kept', 'after'],
    )
    await next.stop()
  })

  t.test(
    'a sqlite3 shell that stays open affects neither the stop nor the next start, and still cannot write',
    async t => {
      const database = join(ownFolder(t), 'events.db')
      const first = await startServer(t, { database })
      await first.http.post('/api/events', entry('one'))
      const shell = nativeShell(t, database)
      t.equal(await shell.ask('SELECT count(*) FROM events;'), '1')
      t.match(await first.stop(), { code: 0 })
      t.equal(await shell.ask('SELECT count(*) FROM events;'), '1')
      const second = await startServer(t, { database })
      await second.http.post('/api/events', entry('two'))
      // It has the WAL of the previous server open; only a new shell sees the new one.
      t.match(await native(database, 'SELECT count(*) FROM events'), { ok: true, out: '2' })
      t.equal(await shell.ask("DELETE FROM events;\nSELECT 'tried';"), 'tried')
      t.equal((await readAll(second.http)).length, 2)
      t.match(await second.stop(), { code: 0 })
      t.same(readStoredFile(database).problems, [])
    },
  )

  t.test('after a clean stop, sqlite3 can write the database, and the ledger continues with it', async t => {
    const database = join(ownFolder(t), 'events.db')
    const server = await startServer(t, { database })
    await server.http.post('/api/events', entry('one'))
    await server.stop()
    t.same(filesBeside(database), [], 'one file is the whole ledger')
    t.equal(readFileSync(database).subarray(0, 15).toString(), 'SQLite format 3')
    t.match(await native(database, 'PRAGMA integrity_check'), { ok: true, out: 'ok' })
    t.match(await native(database, 'CREATE TABLE mine (x); INSERT INTO mine VALUES (1); SELECT x FROM mine'), {
      out: '1',
    })
    t.notOk(existsSync(`${database}-wal`))
    const next = await startServer(t, { database })
    await next.http.post('/api/events', entry('two'))
    await next.stop()
    t.match(await native(database, 'SELECT count(*) FROM events; SELECT x FROM mine'), { ok: true, out: '2\n1' })
  })
})

/** The body of every event, as a program without knowledge of Daybook reads it. */
async function storedEvents(database: string): Promise<StoredEvent[]> {
  const { out, err } = await native(database, 'SELECT body FROM events ORDER BY captured_us')
  if (err) throw new Error(err)
  return out.split('\n').map(line => JSON.parse(line) as StoredEvent)
}
