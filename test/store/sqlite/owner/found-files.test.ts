import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findFileIds } from '../../../../src/store/sqlite/owner/found-files.js'
import type { OwnerRecord } from '../../../../src/store/sqlite/owner/owner-record.js'
import { testFolder } from '../../../support/test-folder.js'
import { own, recordWith, refusalOf } from './owner-rig.js'

const REMAINS = 'conflict/ledger_remains'

/** The files of a killed process that had a ledger open. */
async function killedOwner(t: Test, changes: Partial<OwnerRecord> = {}): Promise<string> {
  const database = join(testFolder(t), 'events.db')
  writeFileSync(database, 'a database')
  writeFileSync(`${database}-wal`, 'w'.repeat(5_000))
  const gone = spawnSync(process.execPath, ['-e', '0'])
  const record = await recordWith({ pid: gone.pid, files: await findFileIds(database), ...changes })
  writeFileSync(`${database}.owner`, JSON.stringify(record))
  return database
}

const journal = (pages: number) => {
  const bytes = Buffer.alloc(512)
  bytes.writeUInt32BE(pages, 16)
  return bytes
}

t.test('the files of a killed process need no manual repair', async t => {
  const database = await killedOwner(t)
  const ownership = await own(t, { database, heartbeatMs: 60_000 })
  t.equal(ownership.warning, undefined)
  await ownership.release()
  t.notOk(existsSync(`${database}.owner`))
  t.equal(readFileSync(`${database}-wal`, 'utf8').length, 5_000)
})

t.test('no ledger is created beside the WAL, the journal or the saved rows of another', async t => {
  const cases: { left: string; bytes: string | Buffer; refused: boolean }[] = [
    { left: '-wal', bytes: 'w'.repeat(5_000), refused: true },
    { left: '-wal', bytes: '', refused: false },
    { left: '-wal', bytes: 'w'.repeat(32), refused: false },
    { left: '-journal', bytes: journal(7), refused: true },
    { left: '-journal', bytes: journal(0), refused: false },
    { left: '.rescued-20310504T090000000Z', bytes: 'a database', refused: true },
    { left: '.rescued-20310504T090000000Z.part', bytes: 'half', refused: false },
  ]
  for (const { left, bytes, refused } of cases) {
    for (const isEmpty of [false, true]) {
      await t.test(`${left} of ${bytes.length} bytes, ${isEmpty ? 'an empty' : 'no'} database`, async t => {
        const database = join(testFolder(t), 'events.db')
        writeFileSync(database + left, bytes)
        if (isEmpty) writeFileSync(database, '')
        t.equal(await refusalOf(own(t, { database, heartbeatMs: 60_000 })), refused ? REMAINS : 'no refusal')
        if (refused) t.equal(readFileSync(database + left).length, bytes.length, 'it is left alone')
      })
    }
  }
})

t.test('the WAL of a replaced database is not applied to the new one, at any later start', async t => {
  const database = await killedOwner(t)
  writeFileSync(`${database}.new`, 'a backup')
  renameSync(`${database}.new`, database)
  for (const _ of [1, 2]) {
    await t.rejects(own(t, { database, heartbeatMs: 60_000 }), {
      code: 'ledger_remains',
      message: /was replaced.* move .*events\.db-wal away/,
    })
  }
  rmSync(`${database}-wal`)
  t.equal((await own(t, { database, heartbeatMs: 60_000 })).warning, undefined, 'a backup alone is opened')
})

t.test('a missing WAL is reported, and so is a missing ledger', async t => {
  const database = await killedOwner(t)
  rmSync(`${database}-wal`)
  const first = await own(t, { database, heartbeatMs: 60_000 })
  t.match(first.warning, /events\.db-wal is gone.*events may be missing/)
  await first.release()
  const other = await killedOwner(t)
  for (const part of ['', '-wal']) rmSync(other + part)
  t.match((await own(t, { database: other, heartbeatMs: 60_000 })).warning, /is a new, empty one/)
})

t.test('after a loss, the next owner refuses the files until an operator changes them', async t => {
  const database = await killedOwner(t)
  const ownership = await own(t, { database, heartbeatMs: 60_000 })
  await ownership.noteFiles()
  rmSync(database)
  writeFileSync(database, 'another')
  await ownership.noteLoss()
  await ownership.release()
  const { lost, files } = JSON.parse(readFileSync(`${database}.owner`, 'utf8')) as OwnerRecord
  t.not(lost?.database, files?.database)
  const dead = await recordWith({
    pid: spawnSync(process.execPath, ['-e', '0']).pid,
    files,
    lost,
  } as Partial<OwnerRecord>)
  writeFileSync(`${database}.owner`, JSON.stringify(dead))
  for (const _ of [1, 2]) {
    await t.rejects(own(t, { database, heartbeatMs: 60_000 }), {
      code: 'ledger_remains',
      message: /remove .*events\.db\.owner/,
    })
  }
  rmSync(`${database}-wal`)
  t.equal(await refusalOf(own(t, { database, heartbeatMs: 60_000 })), 'no refusal')
})
