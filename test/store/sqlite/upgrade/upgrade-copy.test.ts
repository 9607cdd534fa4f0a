import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { restoreLedger } from '../../../../src/runtime/backup/restore-ledger.js'
import { openBoardDatabase } from '../../../../src/store/sqlite/board/board-database.js'
import { openSessionDatabase } from '../../../../src/store/sqlite/board/session-database.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { LEDGER_MIGRATIONS, SCHEMA_VERSION } from '../../../../src/store/sqlite/upgrade/ledger-migrations.js'
import { type Migration, migrate } from '../../../../src/store/sqlite/upgrade/migrate.js'
import { copyBeforeUpgrade } from '../../../../src/store/sqlite/upgrade/upgrade-copy.js'
import { testFolder } from '../../../support/test-folder.js'

const FIRST: Migration = database => {
  database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY) STRICT; CREATE TABLE facts (fact TEXT) STRICT')
}
const SECOND: Migration = database => database.exec('ALTER TABLE facts ADD COLUMN number INTEGER')
const FAILING: Migration = database => {
  database.exec('DROP TABLE facts')
  throw new Error('This step fails')
}
const copyAdvice = 'Make room.'

function open(t: Test, path: string): Database {
  const database = new Database(path, { noun: 'tested', refuseForeign: () => {} })
  t.teardown(() => database.close())
  return database
}

/** A database with the first schema and one fact, which is only in its WAL. */
function older(t: Test) {
  const path = join(testFolder(t), 'facts.db')
  const database = open(t, path)
  migrate(database, { noun: 'tested', steps: [FIRST], copyAdvice })
  database.run(`INSERT INTO facts VALUES ('one')`)
  return { path, database, names: () => readdirSync(dirname(path)).filter(name => !/-wal$|\.lock$/.test(name)) }
}

function factsIn(t: Test, path: string) {
  const database = open(t, path)
  const version = database.first('PRAGMA user_version')?.user_version
  const facts = database.all('SELECT fact FROM facts').map(({ fact }) => fact)
  database.close()
  return { version, facts }
}

t.test('a database of an older release is copied before its upgrade, and a new one is not', async t => {
  const { path, database, names } = older(t)
  t.same(names(), ['facts.db'])
  const copy = `${path}.schema-1`
  t.same(migrate(database, { noun: 'tested', steps: [FIRST, SECOND], copyAdvice }), { from: 1, to: 2, copy })
  t.equal(statSync(copy).mode & 0o077, 0)
  database.run(`INSERT INTO facts VALUES ('two', 2)`)
  t.same(factsIn(t, copy), { version: 1, facts: ['one'] })
  t.equal(migrate(database, { noun: 'tested', steps: [FIRST, SECOND], copyAdvice }), undefined)
})

t.test(
  'an upgrade that fails in any step leaves the database as it was, and the next attempt copies again',
  async t => {
    const { path, database, names } = older(t)
    const steps = [FIRST, SECOND, FAILING]
    t.throws(() => migrate(database, { noun: 'tested', steps, copyAdvice }), { message: 'This step fails' })
    t.same(database.all('SELECT * FROM facts'), [{ fact: 'one' }])
    t.match(database.first('PRAGMA user_version'), { user_version: 1 })
    t.same(names(), ['facts.db', 'facts.db.schema-1'])
    // The older release continues with it.
    database.run(`INSERT INTO facts VALUES ('two')`)
    t.match(migrate(database, { noun: 'tested', steps: [FIRST, SECOND], copyAdvice }), { from: 1, to: 2 })
    t.same(factsIn(t, `${path}.schema-1`), { version: 1, facts: ['one', 'two'] })
  },
)

t.test('without room for the copy, no file is changed', async t => {
  const { database, names } = older(t)
  const options = { noun: 'tested', version: 1, advice: 'Make some.' }
  t.throws(() => copyBeforeUpgrade(database, { ...options, freeBytes: () => 1024 ** 2 }), {
    category: 'configuration',
    code: 'upgrade_no_room',
    message: /needs 33 MiB on the disk of .*facts\.db, which has 1 MiB free\. Make some\.$/,
  })
  t.same(names(), ['facts.db'])
  t.equal(database.run(`INSERT INTO facts VALUES ('two')`), 1)
})

t.test('an unfinished copy leaves no file', async t => {
  const { path, database, names } = older(t)
  const freeBytes = () => {
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  }
  const options = { noun: 'tested', version: 1, advice: '', freeBytes }
  t.throws(() => copyBeforeUpgrade(database, options), { code: 'store_full' })
  t.same(names(), [basename(path)])
})

t.test('the copy can be disabled for a ledger, is always made of cards, and never of sessions', async t => {
  const folder = testFolder(t)
  const path = join(folder, 'events.db')
  const makeOlder = (file: string) => {
    const database = open(t, file)
    migrate(database, { noun: 'ledger', steps: LEDGER_MIGRATIONS.slice(0, -1) })
    database.close()
  }
  const onFailure = (error: unknown) => t.fail(String(error))
  const upgradeOf = async (file: string, upgradeCopy?: boolean) => {
    makeOlder(file)
    const store = await openSqliteStore({ path: file, upgradeCopy, clock: () => 1_800_000_000_000_000, onFailure })
    await store.close()
    return store.upgrade
  }
  const versions = { from: SCHEMA_VERSION - 1, to: SCHEMA_VERSION }
  t.same(await upgradeOf(path), { ...versions, copy: `${path}.schema-${SCHEMA_VERSION - 1}` })
  t.same(await upgradeOf(join(folder, 'other.db'), false), versions)

  const cards = join(folder, 'board.sqlite3')
  openBoardDatabase(cards).close()
  const board = open(t, cards)
  board.exec('DROP TABLE card_history; PRAGMA user_version = 1')
  board.close()
  const upgraded = openBoardDatabase(cards)
  upgraded.close()
  t.match(upgraded.upgrade, { from: 1, copy: `${cards}.schema-1` })

  const sessions = join(folder, 'sessions.sqlite3')
  const openSessions = () => openSessionDatabase(sessions, { onCorrupt: kept => t.fail(kept) }).close()
  openSessions()
  const emptied = open(t, sessions)
  emptied.exec(
    'DROP TABLE sessions; CREATE TABLE sessions (digest TEXT PRIMARY KEY, created_at INTEGER, expires_at INTEGER)',
  )
  emptied.exec('PRAGMA user_version = 1')
  emptied.close()
  openSessions()
  t.notOk(existsSync(`${sessions}.schema-1`))
})

t.test('the copy restores the ledger of the older release', async t => {
  const path = join(testFolder(t), 'events.db')
  const steps = LEDGER_MIGRATIONS.slice(0, -1)
  const database = open(t, path)
  migrate(database, { noun: 'ledger', steps })
  database.close()
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path, clock: () => 1_800_000_000_000_000, onFailure })
  await store.close()
  const copy = store.upgrade?.copy ?? ''
  const settings = { home: dirname(path), database: { path, isDefault: false, legacyPath: '' }, upgradeCopy: true }
  t.match(await restoreLedger(settings, copy), { database: path, events: 0, replaced: `${path}.replaced-` })
  const restored = open(t, path)
  t.equal(migrate(restored, { noun: 'ledger', steps }), undefined, 'the older release opens it')
})
