import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import sqlite from 'node-sqlite3-wasm'
import t from 'tap'
import { recoverHotJournal } from '../../../../src/store/sqlite/owner/rollback-journal.js'
import { nativeSqlite } from '../../../support/native-sqlite.js'
import { crashStates, type DiskState, diskState, restore } from './crash-states.js'
import { native, own, ROUNDS, refusalOf, shortFolder } from './owner-rig.js'

const LONG = { timeout: 300_000 * ROUNDS }

t.setTimeout(2 * LONG.timeout)

interface Shape {
  pageSize: number
  rows: number
  synchronous: 'OFF' | 'FULL'
}

const SHAPE = fc.record<Shape>({
  pageSize: fc.constantFrom(512, 1_024, 4_096),
  rows: fc.integer({ min: 1, max: 40 }),
  synchronous: fc.constantFrom('OFF', 'FULL'),
})

/** Every state of the disk while one transaction of the old journal mode changes all rows and adds as many. */
function statesOfTransaction(database: string, { pageSize, rows, synchronous }: Shape): DiskState[] {
  restore(database, new Map())
  const connection = new sqlite.Database(database)
  connection.exec(`PRAGMA page_size = ${pageSize}`)
  connection.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, version INTEGER, filling BLOB)')
  const add = (version: number) =>
    connection.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO rows (version, filling) SELECT ?, zeroblob(400) FROM n`,
      [rows, version],
    )
  add(1)
  // So few pages in memory that changed ones go to the disk, and the journal gets a further segment, before the end.
  connection.exec('PRAGMA cache_size = 2')
  connection.exec('PRAGMA cache_spill = 2')
  connection.exec(`PRAGMA synchronous = ${synchronous}`)
  const states = crashStates(database, () => {
    connection.exec('BEGIN')
    connection.exec('UPDATE rows SET version = 2')
    add(2)
    connection.exec('COMMIT')
  })
  connection.close()
  return states
}

function contents(database: string): { integrity: unknown; rows: unknown } {
  const connection = new sqlite.Database(database)
  try {
    return {
      integrity: connection.all('PRAGMA integrity_check')[0]?.integrity_check,
      rows: connection.all('SELECT version, count(*) AS n FROM rows GROUP BY version'),
    }
  } finally {
    connection.close()
  }
}

t.test('a transaction that is interrupted at any step is stored completely or not at all', LONG, async t => {
  const database = join(shortFolder(t), 'events.db')
  await fc.assert(
    fc.asyncProperty(SHAPE, async shape => {
      const states = statesOfTransaction(database, shape)
      for (const [step, state] of states.entries()) {
        restore(database, state)
        await recoverHotJournal(database)
        t.notOk(existsSync(`${database}-journal`))
        const committed = !state.has('-journal')
        const rows = step > 0 && committed ? [{ version: 2, n: 2 * shape.rows }] : [{ version: 1, n: shape.rows }]
        t.same(contents(database), { integrity: 'ok', rows }, `step ${step} of ${states.length}`)
      }
    }),
    { numRuns: 4 * ROUNDS },
  )
})

t.test('an ordinary SQLite leaves the same bytes', nativeSqlite(), async t => {
  const database = join(shortFolder(t), 'events.db')
  const states = statesOfTransaction(database, { pageSize: 1_024, rows: 30, synchronous: 'FULL' })
  for (const state of states.filter((_, index) => index % Math.ceil(states.length / 12) === 0)) {
    restore(database, state)
    t.equal(native(database, 'PRAGMA integrity_check'), 'ok')
    const expected = diskState(database)
    restore(database, state)
    await recoverHotJournal(database)
    t.ok(
      diskState(database)
        .get('')
        ?.equals(expected.get('') as Buffer),
    )
  }
})

t.test('a truncated journal does not change a database that was not written yet', async t => {
  const database = join(shortFolder(t), 'events.db')
  const [before] = statesOfTransaction(database, { pageSize: 512, rows: 8, synchronous: 'FULL' })
  const states = statesOfTransaction(database, { pageSize: 512, rows: 8, synchronous: 'FULL' })
  const journal = states.find(state => (state.get('-journal')?.length ?? 0) > 2_000)?.get('-journal') as Buffer
  const original = before?.get('') as Buffer
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: journal.length }), async length => {
      restore(
        database,
        new Map([
          ['', original],
          ['-journal', journal.subarray(0, length)],
        ]),
      )
      await recoverHotJournal(database)
      return readFileSync(database).equals(original)
    }),
  )
})

t.test('an invalid or finished journal changes nothing', async t => {
  const database = join(shortFolder(t), 'events.db')
  const states = statesOfTransaction(database, { pageSize: 512, rows: 8, synchronous: 'FULL' })
  const half = states.at(-2) as DiskState
  const journal = Buffer.from(half.get('-journal') as Buffer)
  const finished = Buffer.concat([Buffer.alloc(28), journal.subarray(28)])
  for (const bytes of [Buffer.alloc(0), finished, Buffer.from('something else'), Buffer.alloc(4_000, 7)]) {
    restore(
      database,
      new Map([
        ['', half.get('') as Buffer],
        ['-journal', bytes],
      ]),
    )
    await recoverHotJournal(database)
    t.ok(readFileSync(database).equals(half.get('') as Buffer))
    t.notOk(existsSync(`${database}-journal`))
  }
})

t.test('a transaction over several databases is rolled back only while its super-journal exists', async t => {
  const folder = shortFolder(t)
  const database = join(folder, 'events.db')
  const states = statesOfTransaction(database, { pageSize: 512, rows: 8, synchronous: 'FULL' })
  const half = states.findLast(state => state.has('-journal')) as DiskState
  const name = Buffer.from(join(folder, 'events.db-mj0123'))
  const tail = Buffer.alloc(8)
  tail.writeUInt32BE(name.length, 0)
  tail.writeUInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    4,
  )
  const magic = Buffer.from('d9d505f920a163d7', 'hex')
  const journal = Buffer.concat([half.get('-journal') as Buffer, Buffer.alloc(4), name, tail, magic])
  for (const present of [false, true]) {
    restore(
      database,
      new Map([
        ['', half.get('') as Buffer],
        ['-journal', journal],
      ]),
    )
    if (present) writeFileSync(name.toString(), '')
    t.equal(await recoverHotJournal(database), present)
    t.match(contents(database), { rows: present ? [{ version: 1, n: 8 }] : [{ version: 2, n: 16 }] })
  }
})

t.test('a rollback journal beside a write-ahead log is refused, and no file is changed', async t => {
  const database = join(shortFolder(t), 'events.db')
  const half = statesOfTransaction(database, { pageSize: 512, rows: 8, synchronous: 'FULL' }).at(-2) as DiskState
  const state = new Map([...half, ['-wal', Buffer.from('log')]])
  restore(database, state)
  t.equal(await refusalOf(recoverHotJournal(database)), 'conflict/ledger_journal_stale')
  t.same(diskState(database), state)
})

t.test('a ledger that was killed at any step of its first opening keeps later events', async t => {
  const folder = shortFolder(t)
  const database = join(folder, 'events.db')
  const open = () => {
    const connection = new sqlite.Database(database)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    connection.exec('PRAGMA journal_mode = WAL')
    connection.exec('CREATE TABLE IF NOT EXISTS numbers (n INTEGER)')
    return connection
  }
  const states = crashStates(database, () => open().close())
  t.ok(states.some(state => state.has('-journal')))
  const { skip } = nativeSqlite()
  for (const [step, state] of states.entries()) {
    restore(database, state)
    const ownership = await own(t, { database })
    const ledger = open()
    ledger.run('INSERT INTO numbers VALUES (1)')
    t.notOk(existsSync(`${database}-journal`), `step ${step}`)
    if (skip === false) t.equal(native(database, 'SELECT n FROM numbers'), '1', `step ${step}, read while it is open`)
    t.same(ledger.all('SELECT n FROM numbers'), [{ n: 1 }])
    ledger.close()
    await ownership.release()
  }
})
