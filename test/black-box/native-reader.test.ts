import { dirname, join } from 'node:path'
import t from 'tap'
import { serveHere } from '../runtime/serve/serve-here.js'
import { nativeSqlite } from '../support/native-sqlite.js'
import { entry, readAll } from './entries.js'
import { HttpClient } from './http-client.js'
import { Load } from './load.js'
import { native } from './native-sqlite.js'
import { filesBeside, ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'
import { SEED, seeded } from './seeded.js'
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

t.test('under load, sqlite3 reads, cannot write, and causes no loss of events', nativeSqlite(), async t => {
  const database = join(ownFolder(t), 'events.db')
  const sentEvents = new SentEvents()
  const server = await startServer(t, { database })
  const load = new Load(t, { url: server.url, sentEvents, random: seeded(SEED), prefix: 'live' })
  const wrong: string[] = []
  const look = async (statements: readonly string[], allowed: boolean, times: number) => {
    for (let n = 0; n < times * statements.length; n += 1) {
      const sql = statements[n % statements.length] ?? ''
      const { ok, out, err } = await native(database, sql, allowed ? PATIENT : [])
      // A read may find pages of two states, and then fails with an error; the ledger is checked below.
      if (allowed && !ok && !TWO_MOMENTS.test(err)) wrong.push(`${sql} was refused: ${err}`)
      if (!allowed && ok && !/^1\|/.test(out) && !/^wal$/.test(out)) wrong.push(`${sql} was allowed: ${out}`)
      if (!allowed && !ok && !/readonly|locked/.test(err)) wrong.push(`${sql} failed with ${err}`)
    }
  }
  await Promise.all([look(READS, true, 5), look(WRITES, false, 2)])
  t.equal(load.cut, 0, 'every writer was answered')
  await load.stop()
  t.same(wrong, [])
  for (const flags of [['-readonly'], ['-cmd', 'PRAGMA query_only = 1']]) {
    t.match(await native(database, 'SELECT count(*) > 0 FROM events', flags), { ok: true, out: /1$/ })
  }
  const events = await readAll(server.http)
  t.same(sentEvents.compareEvents(events), [])
  const bodies = JSON.stringify(events)
  t.equal(await storedEvents(database), bodies, 'SELECT body gives every event complete, while the server runs')
  t.match(await native(database, 'PRAGMA integrity_check'), { ok: true, out: 'ok' })
  await server.kill()
  t.equal(await storedEvents(database), bodies, 'and after it was killed')
  const next = await startServer(t, { database })
  t.equal(JSON.stringify(await readAll(next.http)), bodies)
  t.match(await next.stop(), { code: 0 })
  t.same(readStoredFile(database).problems, [])

  t.same(filesBeside(database), [], 'after a clean stop, one file is the whole ledger')
  const mine = 'CREATE TABLE mine (x); INSERT INTO mine VALUES (1); SELECT x FROM mine'
  t.match(await native(database, mine), { out: '1' }, 'and sqlite3 can write it')
  const here = await serveHere(t, { home: join(dirname(database), 'home'), db: database, only: 'ledger' })
  const http = new HttpClient(here.url)
  t.equal((await http.post('/api/events', entry('after'))).status, 201)
  http.close()
  await here.close()
  t.match(await native(database, 'SELECT count(*) FROM events; SELECT x FROM mine'), {
    out: `${events.length + 1}\n1`,
  })
})

/** The body of every event, as a program without knowledge of Daybook reads it, as one array. */
async function storedEvents(database: string): Promise<string> {
  const { out, err } = await native(database, 'SELECT body FROM events ORDER BY captured_us')
  if (err) throw new Error(err)
  return `[${out.replaceAll('\n', ',')}]`
}
