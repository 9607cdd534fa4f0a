import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { findNativeUser, parseLocks } from '../../../../src/store/sqlite/owner/native-users.js'
import { nativeSqlite } from '../../../support/native-sqlite.js'
import { native, nativeShell, own, refusalOf, shortFolder } from './owner-rig.js'

const fresh = (t: Test) => join(shortFolder(t), 'events.db')

/** Opens the database as the ledger does. */
function openLedger(t: Test, database: string) {
  const connection = new sqlite.Database(database)
  t.teardown(() => connection.isOpen && connection.close())
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('CREATE TABLE IF NOT EXISTS numbers (n INTEGER)')
  return connection
}

t.test('an ordinary SQLite with an open ledger', nativeSqlite(), async t => {
  t.test(
    'an ordinary SQLite reads every event of an open ledger, and can neither write nor checkpoint the WAL',
    async t => {
      const database = fresh(t)
      const ownership = await own(t, { database })
      const ledger = openLedger(t, database)
      for (let n = 1; n <= 3_000; n += 1) {
        ledger.run('INSERT INTO numbers VALUES (?)', [n])
        if (n % 500 === 0) t.equal(native(database, 'SELECT count(*), max(n) FROM numbers'), `${n}|${n}`)
      }
      const log = statSync(`${database}-wal`).ino
      const refused = [
        'INSERT INTO numbers VALUES (0)',
        'PRAGMA journal_mode = DELETE',
        'PRAGMA wal_checkpoint',
        'VACUUM',
      ]
      for (const sql of refused) t.match(native(database, sql), /readonly database/, sql)
      t.equal(native(database, 'PRAGMA integrity_check'), 'ok')
      t.equal(statSync(`${database}-wal`).ino, log)
      t.same(ledger.all('SELECT count(*) AS n FROM numbers'), [{ n: 3_000 }])
      ledger.close()
      await ownership.release()
      t.equal(native(database, 'INSERT INTO numbers VALUES (0); SELECT count(*) FROM numbers'), '3001')
    },
  )

  t.test('an ordinary SQLite cannot write after a kill of the owner, and no event is lost', async t => {
    const database = fresh(t)
    const first = await own(t, { database })
    const ledger = openLedger(t, database)
    ledger.run('INSERT INTO numbers VALUES (1)')
    // A copy of what lies on the disk now is what a killed owner leaves.
    const folder = join(shortFolder(t), 'copy')
    cpSync(join(database, '..'), folder, { recursive: true })
    ledger.close()
    await first.release()
    const copy = join(folder, 'events.db')
    t.equal(native(copy, 'SELECT n FROM numbers'), '1')
    t.match(native(copy, 'INSERT INTO numbers VALUES (2)'), /readonly database/)
    writeFileSync(`${copy}.owner`, '{}')
    await own(t, { database: copy })
    t.same(openLedger(t, copy).all('SELECT n FROM numbers'), [{ n: 1 }])
  })
})

t.test('an ordinary SQLite that has the file open first', nativeSqlite(), async t => {
  t.test('a starter waits for an ordinary SQLite, and names it if it stays', async t => {
    const database = fresh(t)
    native(database, 'PRAGMA journal_mode = WAL; CREATE TABLE numbers (n)')
    const other = nativeShell(t, database)
    t.equal(await other.run('INSERT INTO numbers VALUES (1); SELECT n FROM numbers;'), '1')
    await t.rejects(own(t, { database, waitMs: 120 }), {
      code: 'ledger_in_use',
      message: new RegExp(`process ${other.child.pid}, sqlite3`),
    })
    t.ok(statSync(`${database}-shm`).isFile(), 'its shared memory is untouched')
    const waiting = own(t, { database, waitMs: 60_000 })
    t.equal(await other.run('INSERT INTO numbers VALUES (2); SELECT count(*) FROM numbers;'), '2')
    other.child.stdin?.end()
    await other.end
    await waiting
    t.ok(statSync(`${database}-shm`).isDirectory())
    t.same(openLedger(t, database).all('SELECT count(*) AS n FROM numbers'), [{ n: 2 }])
  })

  t.test('a starter waits for a transaction in the rollback journal mode', async t => {
    const database = fresh(t)
    native(database, 'CREATE TABLE numbers (n)')
    const other = nativeShell(t, database)
    t.equal(await other.run('BEGIN IMMEDIATE; INSERT INTO numbers VALUES (1); SELECT n FROM numbers;'), '1')
    t.equal(await refusalOf(own(t, { database })), 'conflict/ledger_in_use')
    t.equal(await other.run('COMMIT; SELECT n FROM numbers;'), '1')
    await own(t, { database })
  })

  t.test('a killed ordinary SQLite does not prevent a start, and its committed rows are there', async t => {
    const database = fresh(t)
    native(database, 'PRAGMA journal_mode = WAL; CREATE TABLE numbers (n)')
    const other = nativeShell(t, database)
    await other.run('INSERT INTO numbers VALUES (1); SELECT n FROM numbers;')
    other.child.kill('SIGKILL')
    await other.end
    t.ok(existsSync(`${database}-shm`) && existsSync(`${database}-wal`))
    await own(t, { database })
    t.same(openLedger(t, database).all('SELECT n FROM numbers'), [{ n: 1 }])
  })

  t.test('an ordinary SQLite that reads behind the guard of the last owner does not prevent a start', async t => {
    const database = fresh(t)
    const first = await own(t, { database })
    openLedger(t, database).close()
    const reader = nativeShell(t, database)
    t.equal(await reader.run('SELECT count(*) FROM numbers;'), '0')
    await first.release()
    const second = await own(t, { database })
    const ledger = openLedger(t, database)
    ledger.run('INSERT INTO numbers VALUES (1)')
    t.equal(await reader.run('SELECT count(*) FROM numbers;'), '1')
    t.equal(await reader.run("DELETE FROM numbers;\nSELECT 'tried';"), 'tried')
    t.same(ledger.all('SELECT count(*) AS n FROM numbers'), [{ n: 1 }])
    ledger.close()
    await second.release()
  })

  t.test('lsof finds an ordinary SQLite on a system without a table of locks', async t => {
    const database = fresh(t)
    native(database, 'PRAGMA journal_mode = WAL; CREATE TABLE numbers (n)')
    const lockTable = join(database, 'none')
    t.equal(await findNativeUser(database, { lockTable }), undefined)
    const other = nativeShell(t, database)
    await other.run('SELECT count(*) FROM numbers;')
    try {
      t.equal(await findNativeUser(database, { lockTable }), other.child.pid)
    } catch (error) {
      t.match(error, { code: 'ledger_in_use_unknown' }, 'there is no lsof here')
    }
  })
})

t.test('an unused shared memory file is replaced by the guard', async t => {
  const database = fresh(t)
  writeFileSync(`${database}-shm`, 'left by a killed program')
  const ownership = await own(t, { database })
  t.ok(statSync(`${database}-shm`).isDirectory())
  await ownership.release()
  t.same(readdirSync(join(database, '..')), [])
})

t.test('the table of locks is read in the format of proc(5)', async t => {
  const text = [
    '1: POSIX  ADVISORY  READ 9745 fe:00:2154535 128 128',
    '1: -> POSIX  ADVISORY  WRITE 77 fe:00:2154535 128 128',
    '2: OFDLCK ADVISORY  WRITE -1 103:1a2:9 0 EOF',
    '3: FLOCK  ADVISORY  WRITE 12 fe:00:1 0 EOF',
    '',
  ].join('\n')
  t.same(parseLocks(text), [
    { pid: 9745, write: false, device: 0xfe00n, inode: 2154535n },
    { pid: -1, write: true, device: 0x1103a2n, inode: 9n },
  ])
})
