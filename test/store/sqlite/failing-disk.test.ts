import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { Database } from '../../../src/store/sqlite/database.js'
import { type FileCalls, joinWrites } from '../../../src/store/sqlite/joined-writes.js'

const READ = 'SELECT length(body) AS size FROM rows ORDER BY id'

/** A transaction, and how many calls that change a file the disk lets through from then on; none: all. */
const step = fc.record({
  sizes: fc.array(fc.oneof(fc.nat(300), fc.nat(60_000)), { minLength: 1, maxLength: 4 }),
  kind: fc.constantFrom('transaction', 'foldedLater', 'laterDurable', 'fold' as const),
  callsUntilFull: fc.option(fc.nat(12), { nil: Number.POSITIVE_INFINITY }),
})

t.test('whatever the disk refuses, what was committed is there, and nothing else', async t => {
  const disk = breakableDisk()
  t.teardown(disk.mend)
  const folder = t.testdir()
  let files = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), steps => {
      const path = join(folder, `${files++}.db`)
      disk.callsLeft = Number.POSITIVE_INFINITY
      let database = open(path)
      database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)')
      const committed: number[] = []
      for (const { sizes, kind, callsUntilFull } of steps) {
        disk.callsLeft = callsUntilFull
        const insert = () => {
          for (const size of sizes) database.run('INSERT INTO rows (body) VALUES (?)', 'x'.repeat(size))
        }
        try {
          if (kind === 'fold') database.foldJournal()
          else database[kind](insert)
          if (kind !== 'fold') committed.push(...sizes)
        } catch (error) {
          if (disk.callsLeft > 0) throw error
        }
        t.same(sizesIn(database), committed)
        disk.callsLeft = Number.POSITIVE_INFINITY
      }
      database.close()
      database = open(path)
      t.same(sizesIn(database), committed, 'after it was opened anew')
      t.same(database.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
      database.close()
    }),
    { numRuns: 150 },
  )
})

function open(path: string): Database {
  return new Database(path, { noun: 'tested', refuseForeign: () => undefined })
}

function sizesIn(database: Database): number[] {
  return database.all(READ).map(row => Number(row.size))
}

/** Joins the driver's writes in this process, over a disk that may be full. */
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
  const breakable: Pick<FileCalls, 'writeSync' | 'fsyncSync'> = {
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
