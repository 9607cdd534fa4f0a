import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { copyLegacyLedger } from '../../../../src/store/sqlite/upgrade/legacy.js'
import { nativeSqlite } from '../../../support/native-sqlite.js'
import { crashStates, diskState, restore } from '../owner/crash-states.js'
import { native, nativeShell, refusalOf, runProgram, shortFolder } from '../owner/owner-rig.js'

const ROWS = 20
/** A copy takes at least so many steps that change the disk. */
const STEPS_OF_A_COPY = 25

/** A home in the older layout and the folder of the newer one. */
function home(t: Test) {
  const folder = shortFolder(t)
  mkdirSync(join(folder, 'event'))
  return { folder, legacy: join(folder, 'events.db'), database: join(folder, 'event', 'events.db') }
}

/** Writes a legacy ledger like a killed process: all rows are in the WAL, and hardly any in the file. */
function writeLegacyWithLog(legacy: string): void {
  const living = `${legacy}.living`
  const connection = new sqlite.Database(living)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('CREATE TABLE events (dedupe_key TEXT PRIMARY KEY, body TEXT)')
  for (let n = 1; n <= ROWS; n += 1) connection.run('INSERT INTO events VALUES (?, ?)', [`chat:${n}`, '{"a":1}'])
  restore(legacy, diskState(living))
  connection.close()
  restore(living, new Map())
}

function count(database: string): unknown {
  const connection = new sqlite.Database(database)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    return connection.all('SELECT count(*) AS n FROM events')[0]?.n
  } finally {
    connection.close()
  }
}

/** Names, bytes and times of everything directly in a folder. */
function print(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => {
      const path = join(folder, entry.name)
      const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
      const { mtimeNs, ino, mode } = statSync(path, { bigint: true })
      return [entry.name, digest, mtimeNs, ino, mode].join(' ')
    })
}

t.test('a legacy ledger is copied with the content of its WAL, and not changed', async t => {
  const { folder, legacy, database } = home(t)
  writeLegacyWithLog(legacy)
  utimesSync(legacy, 1_000_000, 1_000_000)
  const before = print(folder)
  t.equal(await copyLegacyLedger({ legacy, database }), true)
  t.same(print(folder), before)
  t.same(readdirSync(folder), ['event', 'events.db', 'events.db-wal'])
  t.same(readdirSync(join(folder, 'event')), ['events.db'])
  t.equal(statSync(database).mode & 0o777, 0o600)
  t.equal(count(database), ROWS)
  t.equal(await copyLegacyLedger({ legacy, database }), false, 'once')
})

t.test('without a legacy ledger, or with a new one, nothing happens', async t => {
  const { legacy, database } = home(t)
  t.equal(await copyLegacyLedger({ legacy, database }), false)
  writeLegacyWithLog(legacy)
  writeFileSync(database, 'a ledger of its own')
  writeFileSync(`${database}.copying`, 'of a try that died after the rename of another')
  t.equal(await copyLegacyLedger({ legacy, database }), false)
  t.same(readdirSync(join(database, '..')), ['events.db'])
  t.equal(readFileSync(database, 'utf8'), 'a ledger of its own')
})

t.test('a legacy ledger with an interrupted transaction is copied without it', async t => {
  const { folder, legacy, database } = home(t)
  const connection = new sqlite.Database(legacy)
  connection.exec('CREATE TABLE events (n INTEGER, filling BLOB)')
  const insert =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO events SELECT i, zeroblob(900) FROM n'
  connection.exec(insert)
  connection.exec('PRAGMA cache_size = 2')
  const states = crashStates(legacy, () => connection.exec(`BEGIN; DELETE FROM events; ${insert}; ${insert}; COMMIT`))
  connection.close()
  for (const state of states.filter((_, index) => index % Math.ceil(states.length / 5) === 0)) {
    restore(legacy, state)
    restore(database, new Map())
    const before = print(folder)
    await copyLegacyLedger({ legacy, database })
    t.equal(count(database), 50)
    t.same(print(folder), before)
  }
})

t.test('a legacy ledger reached through a link is copied with its write-ahead log', async t => {
  const { folder, legacy, database } = home(t)
  mkdirSync(join(folder, 'elsewhere'))
  writeLegacyWithLog(join(folder, 'elsewhere', 'old.db'))
  symlinkSync(join('elsewhere', 'old.db'), legacy)
  await copyLegacyLedger({ legacy, database })
  t.equal(count(database), ROWS)
})

t.test(
  'a kill at any instruction leaves either no new ledger or a complete one, and never changes the old one',
  async t => {
    const { folder, legacy, database } = home(t)
    writeLegacyWithLog(legacy)
    const before = print(folder)
    const states = join(folder, 'states')
    t.match(await runProgram(t, 'kill-states-of-copying', [legacy, database, states]).end, { code: 0, output: '' })
    t.same(readdirSync(join(folder, 'event')), ['events.db'])
    const steps = readdirSync(states)

    t.ok(steps.length >= STEPS_OF_A_COPY)
    for (const step of steps) {
      const database = join(states, step, 'events.db')
      if (existsSync(database)) t.equal(count(database), ROWS, `step ${step}`)
      await copyLegacyLedger({ legacy, database })
      t.same(readdirSync(join(states, step)), ['events.db'], `step ${step}`)
      t.equal(count(database), ROWS, `step ${step}, after the next start`)
    }
    t.same(print(folder), before)
  },
)

t.test('a legacy ledger that is written to', async t => {
  t.test('a legacy ledger is refused while it is written, and no file is left', async t => {
    const { legacy, database } = home(t)
    writeLegacyWithLog(legacy)
    const writer = setInterval(() => appendFileSync(`${legacy}-wal`, 'x'), 20)
    t.teardown(() => clearInterval(writer))
    t.equal(await refusalOf(copyLegacyLedger({ legacy, database })), 'unavailable/legacy_busy')
    t.same(readdirSync(join(database, '..')), [])
  })
  t.test('a legacy ledger is copied when its writer pauses', async t => {
    const { legacy, database } = home(t)
    writeLegacyWithLog(legacy)
    let writes = 0
    const writer = setInterval(() => {
      appendFileSync(`${legacy}-wal`, 'x')
      writes += 1
      if (writes === 4) clearInterval(writer)
    }, 20)
    t.equal(await copyLegacyLedger({ legacy, database }), true)
    t.equal(count(database), ROWS)
  })
})

t.test('a ledger that cannot be upgraded is refused with the reason, and not changed', async t => {
  const cases: { name: string; code: string; make: (paths: { legacy: string; database: string }) => void }[] = [
    {
      name: 'no database',
      code: 'configuration/legacy_unusable',
      make: ({ legacy }) => writeFileSync(legacy, 'not a database, but long enough to be looked at'.repeat(100)),
    },
    {
      name: 'a damaged database',
      code: 'configuration/legacy_unusable',
      make: ({ legacy }) => {
        writeLegacyWithLog(`${legacy}.good`)
        const connection = new sqlite.Database(`${legacy}.good`)
        connection.exec('PRAGMA locking_mode = EXCLUSIVE')
        connection.all('PRAGMA journal_mode = DELETE')
        connection.close()
        const bytes = readFileSync(`${legacy}.good`)
        writeFileSync(legacy, bytes.fill(0x5a, 4_096 * 2, 4_096 * 2 + 100))
      },
    },
    { name: 'a folder', code: 'configuration/legacy_unreadable', make: ({ legacy }) => mkdirSync(legacy) },
    {
      name: 'a WAL without its database at the new place',
      code: 'conflict/ledger_remains',
      make: ({ legacy, database }) => {
        writeLegacyWithLog(legacy)
        writeFileSync(`${database}-wal`, 'a log')
      },
    },
  ]
  for (const { name, code, make } of cases) {
    const { folder, legacy, database } = home(t)
    make({ legacy, database })
    const before = [print(folder), print(join(folder, 'event'))]
    t.equal(await refusalOf(copyLegacyLedger({ legacy, database })), code, name)
    t.same([print(folder), print(join(folder, 'event'))], before, name)
  }
})

t.test('an empty legacy file becomes an empty ledger', async t => {
  const { legacy, database } = home(t)
  writeFileSync(legacy, '')
  t.equal(await copyLegacyLedger({ legacy, database }), true)
  const connection = new sqlite.Database(database)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  t.same(connection.all('SELECT * FROM sqlite_schema'), [])
  connection.close()
})

t.test('a legacy ledger of an ordinary SQLite', nativeSqlite(), async t => {
  const table = 'CREATE TABLE events (id INTEGER PRIMARY KEY, body TEXT)'
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO events SELECT i, hex(randomblob(200)) FROM n;`
  for (const mode of ['DELETE', 'TRUNCATE', 'PERSIST', 'WAL']) {
    const { folder, legacy, database } = home(t)
    native(legacy, `PRAGMA journal_mode = ${mode}; ${table}; ${rows}`)
    const before = print(folder)
    await copyLegacyLedger({ legacy, database })
    t.same(print(folder), before, mode)
    t.equal(native(database, 'SELECT count(*) FROM events; PRAGMA integrity_check'), '500\nok', mode)
  }
  t.test('an open legacy ledger is copied with its WAL', async t => {
    const { folder, legacy, database } = home(t)
    native(legacy, `PRAGMA journal_mode = WAL; ${table}`)
    const other = nativeShell(t, legacy)
    t.equal(await other.run(`${rows} SELECT count(*) FROM events;`), '500')
    const before = print(folder)
    await copyLegacyLedger({ legacy, database })
    t.same(print(folder), before)
    t.equal(native(database, 'SELECT count(*) FROM events; PRAGMA integrity_check'), '500\nok')
  })
})
