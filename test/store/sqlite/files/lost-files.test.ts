import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { AppError } from '../../../../src/model/app-error.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

/** A tenth of the usual number, so that few rows fill the WAL. */
const WAL_CHECKPOINT_PAGES = 200

const READ = 'SELECT name FROM names ORDER BY rowid'

interface Rig {
  path: string
  database: Database
  /** Names of the rows that were committed. */
  committed: string[]
  commit(rows: number, perTransaction?: number): void
  /** Calls of `onLost`. */
  reports: { code: string; message: string; isOver: boolean }[]
}

const OWNER = {
  nonce: '0123456789abcdef',
  role: 'server',
  since: 'now',
  pid: 1,
  started: '1',
  machine: 'm',
  boot: 'b',
  namespace: '0',
}

/** @param isOwned there is an owner record, which has to stay */
function openRig(t: Test, isOwned = false): Rig {
  const folder = join(testFolder(t), 'ledger')
  mkdirSync(folder)
  const path = join(folder, 'events.db')
  const reports: Rig['reports'] = []
  const onLost = ({ code, message }: AppError, isOver: boolean) => void reports.push({ code, message, isOver })
  if (isOwned) writeFileSync(`${path}.owner`, JSON.stringify(OWNER))
  const ownerNonce = isOwned ? OWNER.nonce : undefined
  const database = new Database(path, { noun: 'ledger', refuseForeign: () => {}, onLost, ownerNonce })
  t.teardown(() => closeLost(database))
  database.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
  database.exec('CREATE TABLE names (name TEXT, filler TEXT)')
  const committed: string[] = []
  const commit = (rows: number, perTransaction = rows) => {
    for (let done = 0; done < rows; done += perTransaction) {
      const names = Array.from({ length: perTransaction }, (_, at) => `row ${committed.length + at}`)
      database.transaction(() => {
        for (const name of names) database.run('INSERT INTO names VALUES (?, ?)', name, 'x'.repeat(7_000))
      })
      committed.push(...names)
    }
  }
  return { path, database, committed, commit, reports }
}

function closeLost(database: Database): void {
  try {
    database.close()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Copies the rescued files to a new folder under the names in the message, and reads them. */
function savedIn(t: Test, folder: string): unknown[] {
  const copy = testFolder(t)
  for (const name of readdirSync(folder).filter(each => each.startsWith('events.db.rescued-'))) {
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    copyFileSync(join(folder, name), join(copy, name.endsWith('-wal') ? 'events.db-wal' : 'events.db'))
  }
  const saved = new Database(join(copy, 'events.db'), { noun: 'saved', refuseForeign: () => {} })
  t.same(saved.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
  const names = saved.all(READ).map(row => row.name)
  saved.close()
  return names
}

const other = (folder: string, bytes: number) => {
  const path = join(folder, 'other.db')
  const database = new Database(path, { noun: 'other', refuseForeign: () => {} })
  database.exec('CREATE TABLE other (body TEXT)')
  database.run('INSERT INTO other VALUES (?)', 'y'.repeat(bytes))
  database.close()
  return path
}

interface Case {
  name: string
  act: (database: string) => void
  message: RegExp
  /** Ends the name of the file that was put in place of ours, and has to be left alone. */
  put?: string
}

const CASES: Case[] = [
  { name: 'the database is removed', act: database => rmSync(database), message: /events\.db is gone/ },
  { name: 'the WAL is removed', act: database => rmSync(`${database}-wal`), message: /events\.db-wal is gone/ },
  {
    name: 'both are removed',
    act: database => {
      rmSync(database)
      rmSync(`${database}-wal`)
    },
    message: /events\.db is gone, .*events\.db-wal is gone/,
  },
  {
    name: 'the database is moved away',
    act: database => renameSync(database, `${database}.old`),
    message: /events\.db is gone/,
  },
  {
    name: 'another file replaces the database',
    act: database => renameSync(other(dirname(database), 10), database),
    message: /events\.db was replaced/,
    put: '',
  },
  {
    name: 'a copy of the database replaces it',
    act: database => {
      copyFileSync(database, `${database}.copy`)
      renameSync(`${database}.copy`, database)
    },
    message: /events\.db was replaced/,
    put: '',
  },
  {
    name: 'another file replaces the journal',
    act: database => {
      writeFileSync(`${database}.new`, 'other')
      renameSync(`${database}.new`, `${database}-wal`)
    },
    message: /events\.db-wal was replaced/,
    put: '-wal',
  },
  {
    name: 'the folder is removed',
    act: database => rmSync(dirname(database), { recursive: true }),
    message: /events\.db is gone, .*events\.db-wal is gone/,
  },
  {
    name: 'the folder is moved away',
    act: database => renameSync(dirname(database), `${dirname(database)}.old`),
    message: /events\.db is gone/,
  },
  {
    name: 'the journal is emptied',
    act: database => truncateSync(`${database}-wal`, 0),
    message: /events\.db-wal was cut or overwritten/,
  },
  {
    name: 'the journal is cut',
    act: database => truncateSync(`${database}-wal`, 32 + 8216 * 3),
    message: /events\.db-wal was cut or overwritten/,
  },
  {
    name: 'the journal is overwritten',
    act: database => writeFileSync(`${database}-wal`, Buffer.alloc(statSync(`${database}-wal`).size, 7)),
    message: /events\.db-wal was cut or overwritten/,
  },
  {
    name: 'the database is emptied',
    act: database => truncateSync(database, 0),
    message: /events\.db was cut or overwritten/,
  },
  {
    name: 'a larger database is copied over it',
    act: database => copyFileSync(other(dirname(database), 4_000_000), database),
    message: /events\.db was cut or overwritten/,
  },
]

for (const { name, act, message, put } of CASES) {
  // With more rows there is a WAL checkpoint, and the WAL begins again.
  for (const rows of message.source.includes('cut') ? [60, 260] : [60]) {
    t.test(`${name} with ${rows} rows: commits are refused, and committed rows are saved beside the file`, async t => {
      const { path, database, committed, commit, reports } = openRig(t)
      commit(rows, rows / 10)
      act(path)
      const before = put === undefined ? undefined : readFileSync(path + put)
      const lost = { category: 'unavailable', code: 'ledger_lost', message }
      t.throws(() => commit(1), lost)
      t.throws(() => database.all(READ), lost, 'it is not read either')
      t.throws(() => database.close(), lost, 'it is not closed in the ordinary way')
      t.match(reports, [
        { code: 'ledger_lost', message, isOver: false },
        { message: new RegExp(`${message.source}.*All that was acknowledged is in .*rescued-`), isOver: true },
      ])
      t.same(savedIn(t, dirname(path)).slice(0, rows), committed)
      if (before) t.ok(before.equals(readFileSync(path + put)), 'what lies there is left alone')
    })
  }
}

t.test('an idle database, and one that is closed, checks its files', async t => {
  for (const look of ['verify', 'close'] as const) {
    const { path, database, committed, commit, reports } = openRig(t)
    commit(3)
    rmSync(path)
    t.throws(() => database[look](), { code: 'ledger_lost' })
    t.match(reports, [{ isOver: false }, { isOver: true }])
    t.same(savedIn(t, dirname(path)), committed)
    t.notOk(readdirSync(dirname(path)).includes('events.db'))
  }
})

t.test('a removal of the folder that begins with the owner record loses no row', async t => {
  const { path, database, committed, commit, reports } = openRig(t, true)
  commit(3)
  rmSync(`${path}.owner`)
  t.throws(() => commit(1), { code: 'ledger_lost', message: /events\.db\.owner is gone/ })
  t.match(reports, [{ isOver: false }], 'the process continues: no report yet where the rows will be')
  rmSync(path)
  rmSync(`${path}-wal`)
  t.throws(() => database.close(), { code: 'ledger_lost', message: /All that was acknowledged is in .*rescued-/ })
  t.equal(reports.at(-1)?.isOver, true)
  t.same(savedIn(t, dirname(path)).slice(0, 3), committed)
})

t.test('if only the owner record is gone, the database is not changed', async t => {
  const { path, database, committed, commit } = openRig(t, true)
  commit(3)
  rmSync(`${path}.owner`)
  t.throws(() => commit(1), { code: 'ledger_lost' })
  t.throws(() => database.close(), { code: 'ledger_lost', message: /All that was acknowledged is in .*events\.db\.$/ })
  t.notOk(readdirSync(dirname(path)).some(name => name.includes('rescued')))
  const copy = join(testFolder(t), 'events.db')
  for (const part of ['', '-wal']) copyFileSync(path + part, copy + part)
  const copied = new Database(copy, { noun: 'copied', refuseForeign: () => {} })
  t.same(
    copied
      .all(READ)
      .map(row => row.name)
      .slice(0, 3),
    committed,
  )
  copied.close()
})

t.test('rows that cannot be saved are reported, and saved as soon as possible', async t => {
  const { path, database, committed, commit, reports } = openRig(t)
  commit(3)
  rmSync(dirname(path), { recursive: true })
  writeFileSync(dirname(path), 'in the way')
  t.throws(() => commit(1), { code: 'ledger_lost' })
  t.match(reports, [{ isOver: false }, { isOver: false, message: /cannot be saved .* leave this process running/ }])
  rmSync(dirname(path))
  t.throws(() => database.close(), { code: 'ledger_lost', message: /All that was acknowledged is in/ })
  t.match(reports.slice(2), [{ isOver: true, message: /All that was acknowledged is in/ }])
  t.same(savedIn(t, dirname(path)).slice(0, 3), committed)
})

t.test('permanently lost bytes are reported, and the rest is saved', async t => {
  const { path, database, commit, reports } = openRig(t)
  database.exec('PRAGMA cache_size = 10')
  commit(260, 26)
  truncateSync(path, 8_192 * 4)
  t.throws(() => commit(1), { code: 'ledger_lost' })
  t.match(reports.at(-1), {
    isOver: true,
    message: /Some of its bytes are lost; what is left is in .* Restore a backup/,
  })
  const saved = readdirSync(dirname(path)).filter(name => name.includes('.rescued-'))
  t.equal(saved.length, 2, 'both files')
})

t.test('ordinary changes of the files by SQLite and by users are not a loss', async t => {
  const { path, database, commit, reports } = openRig(t)
  commit(3)
  const now = new Date()
  utimesSync(path, now, now)
  chmodSync(path, 0o640)
  commit(1)
  await database.copyTo(join(testFolder(t), 'copy.db'))
  database.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
  database.verify()
  commit(600, 40) // through several checkpoints, after each of which the journal begins again
  database.transactionWithoutCheckpoint(() => database.run('DELETE FROM names'))
  database.checkpointWal()
  database.verify()
  database.withRelaxedSync(() => database.run(`INSERT INTO names VALUES ('last', '')`))
  database.close()
  t.same(reports, [])
  const again = new Database(path, { noun: 'ledger', refuseForeign: () => {} })
  t.same(again.all(READ), [{ name: 'last' }])
  again.close()
})

t.test(
  'after a file is removed, a store refuses every request, and reports at its end where the events are',
  async t => {
    const path = join(testFolder(t), 'events.db')
    const failures: unknown[] = []
    const reports: unknown[] = []
    const store = await openSqliteStore({
      path,
      clock: () => 1_800_000_000_000_000,
      onFailure: error => failures.push(error),
      onLost: error => reports.push(error),
    })
    await store.events.record([messageCreated('1')])
    rmSync(path)
    const lost = { category: 'unavailable', code: 'ledger_lost', message: /events\.db is gone/ }
    await t.rejects(store.events.record([messageCreated('2')]), lost)
    await t.rejects(store.events.findByDedupeKey('1', 1_000), lost)
    await t.rejects(store.events.health(), lost)
    await t.rejects(store.close(), { ...lost, message: /All that was acknowledged is in/ })
    t.match(reports, [lost])
    t.match(failures, [{ ...lost, message: /All that was acknowledged is in/ }])
  },
)
