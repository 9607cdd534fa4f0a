import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { type FileCalls, joinWrites } from '../../../../src/store/sqlite/files/joined-writes.js'
import { testFolder } from '../../../support/test-folder.js'

const READ = 'SELECT length(body) AS size FROM rows ORDER BY id'

/** So few that a transaction spills into the journal before it is committed, and reads back what it spilled. Pages. */
const CACHE = 12

const size = fc.oneof(
  { weight: 4, arbitrary: fc.nat(300) },
  { weight: 4, arbitrary: fc.nat(60_000) },
  fc.nat(1_500_000),
)
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ insert: size }) },
  fc.record({ update: fc.nat(20), to: size }),
  fc.record({ count: fc.constant(true) }),
)
/** A transaction, and how many calls the disk lets through from then on; none: all. */
const step = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 5 }),
  kind: fc.constantFrom('transaction', 'transactionWithoutCheckpoint', 'withRelaxedSync', 'checkpoint' as const),
  isBad: fc.option(fc.constant(true), { freq: 8, nil: false }),
  callsUntilFull: fc.option(fc.nat(12), { nil: Number.POSITIVE_INFINITY }),
})

t.test('after any failure of the disk, exactly the committed rows are there', async t => {
  const disk = breakableDisk()
  t.teardown(disk.mend)
  const folder = testFolder(t)
  let files = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), steps => {
      const path = join(folder, `${files++}.db`)
      disk.callsLeft = Number.POSITIVE_INFINITY
      let database = open(path)
      database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)')
      let committed: number[] = []
      for (const { changes, kind, isBad, callsUntilFull } of steps) {
        disk.callsLeft = callsUntilFull
        let sizes = [...committed]
        const work = () => {
          sizes = changes.reduce((before, each) => carryOut(database, each, before), sizes)
          if (isBad) throw new Error('a bad event')
        }
        try {
          if (kind === 'checkpoint') database.checkpointWal()
          else database[kind](work)
          committed = sizes
        } catch (error) {
          if (disk.callsLeft > 0 && !isBad) throw error
        }
        disk.callsLeft = Number.POSITIVE_INFINITY
        t.same(sizesIn(database), committed)
      }
      database.close()
      database = open(path)
      t.same(sizesIn(database), committed, 'after it was opened again')
      t.same(database.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
      database.close()
    }),
    { numRuns: 75 },
  )
})

function open(path: string): Database {
  const database = new Database(path, { noun: 'tested', refuseForeign: () => undefined })
  database.exec(`PRAGMA cache_size = ${CACHE}`)
  return database
}

type Change = { insert: number } | { update: number; to: number } | { count: true }

/** @returns the sizes of all rows afterwards */
function carryOut(database: Database, change: Change, sizes: readonly number[]): number[] {
  const body = (size: number) => 'x'.repeat(size)
  if ('insert' in change) {
    database.run('INSERT INTO rows (body) VALUES (?)', body(change.insert))
    return [...sizes, change.insert]
  }
  if ('update' in change) {
    database.run('UPDATE rows SET body = ? WHERE id = ?', body(change.to), change.update + 1)
    return sizes.map((size, at) => (at === change.update ? change.to : size))
  }
  t.same(sizesIn(database), sizes)
  return [...sizes]
}

function sizesIn(database: Database): number[] {
  return database.all(READ).map(row => Number(row.size))
}

/** Joins the driver's writes in this process, over a disk that may fail. */
function breakableDisk() {
  const { writeSync, readSync, fsyncSync, fstatSync, ftruncateSync, closeSync } = fs
  const disk = {
    callsLeft: Number.POSITIVE_INFINITY,
    mend: () => Object.assign(fs, { writeSync, readSync, fsyncSync, fstatSync, ftruncateSync, closeSync }),
  }
  const unlessFull = () => {
    if (disk.callsLeft-- <= 0) {
      disk.callsLeft = 0
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
  }
  const breakable: Pick<FileCalls, 'writeSync' | 'readSync' | 'fsyncSync'> = {
    readSync: (...read) => {
      unlessFull()
      return readSync(...read)
    },
    writeSync: (...write) => {
      unlessFull()
      return writeSync(...write)
    },
    fsyncSync: fd => {
      unlessFull()
      fsyncSync(fd)
    },
  }
  Object.assign(fs, breakable)
  joinWrites()
  return disk
}
