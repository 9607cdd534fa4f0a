import { join } from 'node:path'
import sqlite, { type Database } from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { messageCreated, readStored } from '../../support/events.js'
import { userNamed } from '../user-store-conformance.js'

function openAt(t: Test, path: string) {
  return openSqliteStore({ path, clock: () => 1_800_000_000_000_000, onFailure: error => t.fail(String(error)) })
}

/** Looks into the file of a ledger that nobody has open. */
function inFile<Result>(path: string, work: (connection: Database) => Result): Result {
  const connection = new sqlite.Database(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    return work(connection)
  } finally {
    connection.close()
  }
}

/** A ledger of the release before there were users, with one event. */
async function writeVersionOne(t: Test, path: string): Promise<void> {
  const store = await openAt(t, path)
  await store.events.record([messageCreated('chat:1')])
  await store.close()
  inFile(path, connection => {
    connection.exec('DROP TABLE users; DROP TABLE api_tokens; DROP TABLE source_marks')
    connection.exec(`DELETE FROM meta WHERE name = 'closed'; PRAGMA user_version = 1`)
  })
}

t.test('a ledger from before there were users keeps its events and is open', async t => {
  const path = join(t.testdir(), 'events.db')
  await writeVersionOne(t, path)
  const store = await openAt(t, path)
  t.equal(store.schemaVersion, 3)
  t.match(await readStored(store.events, 'chat:1'), { dedupe_key: 'chat:1' })
  t.same(await store.users.list(), [])
  t.equal(await store.users.isClosed(), false)
  await store.users.create(userNamed('ada'))
  t.same(await store.check(), [])
  await store.close()
  t.match(
    inFile(path, connection => connection.all('PRAGMA user_version')),
    [{ user_version: 3 }],
  )
})

t.test('tables of users that another program kept in the same file are set aside whole', async t => {
  const cases = [
    { name: 'with users the ledger stays closed', rows: `INSERT INTO users VALUES (1, 'ada')`, isClosed: true },
    { name: 'without users it is open', rows: '', isClosed: false },
  ]
  for (const { name, rows, isClosed } of cases) {
    t.test(name, async t => {
      const path = join(t.testdir(), 'events.db')
      await writeVersionOne(t, path)
      inFile(path, connection => {
        connection.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX by_name ON users (name)')
        connection.exec('CREATE TABLE Api_Tokens (user_id INTEGER REFERENCES users (id), token TEXT UNIQUE)')
        connection.exec(rows)
      })
      const store = await openAt(t, path)
      t.equal(await store.users.isClosed(), isClosed)
      t.same(await store.users.list(), [])
      t.match(await readStored(store.events, 'chat:1'), { dedupe_key: 'chat:1' })
      await store.users.create(userNamed('ada'))
      await store.close()
      const kept = inFile(path, connection => [
        connection.all('SELECT * FROM older_users'),
        connection.all('SELECT * FROM older_api_tokens'),
      ])
      t.same(kept, [isClosed ? [{ id: 1, name: 'ada' }] : [], []])
    })
  }
})

t.test('a ledger from before events were counted by source counts those that it has, and those that come', async t => {
  const path = join(t.testdir(), 'events.db')
  const record = async (from: number, to: number) => {
    const store = await openAt(t, path)
    const numbers = Array.from({ length: to - from }, (_, at) => from + at)
    await store.events.record(numbers.map(at => messageCreated(String(at), { source: at % 3 ? 'chat' : 'forum' })))
    const { count, bySource } = await store.events.histogram({ buckets: 1, now: 0 })
    await store.close()
    return { count, bySource }
  }
  await record(0, 700)
  inFile(path, connection => connection.exec('DROP TABLE source_marks; PRAGMA user_version = 2'))
  t.match(await record(700, 900), {
    count: 900,
    bySource: [
      { source: 'chat', count: 600 },
      { source: 'forum', count: 300 },
    ],
  })
})
