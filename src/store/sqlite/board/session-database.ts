import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { AppError } from '../../../model/app-error.js'
import { Database } from '../files/database.js'
import { toFileError } from '../files/file-error.js'
import { type OwnFile, refuseOthers } from '../files/foreign-database.js'
import type { LossHandling } from '../files/loss-watch.js'
import { type Migration, migrate } from '../upgrade/migrate.js'
import { checkWritable } from './check-writable.js'
import { SqliteSessionStore } from './session-store.js'

/** An opened `sessions.sqlite3`. */
export interface SessionDatabase {
  sessions: SqliteSessionStore
  /** Makes a consistent copy, as a new file. @throws as `Database.copyTo` */
  copyTo(path: string, signal?: AbortSignal): Promise<void>
  /** Proves that the file can commit. @throws AppError `unavailable/…` */
  checkWritable(): void
  /** Checks that the open files are still those on the disk. @throws AppError `unavailable/ledger_lost` */
  verify(): void
  close(): void
}

interface SessionDatabaseOptions extends LossHandling {
  /** Called with the path to which a damaged file was moved. */
  onCorrupt: (kept: string) => void
  /** Milliseconds of Unix time. */
  now?: () => number
}

const CREATE_TABLES = /* sql */ `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  -- Times are whole seconds of Unix time.
  CREATE TABLE sessions (
    digest TEXT PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`
/** The key of existing rows is unknown. */
const ADD_SIGNING_KEY = /* sql */ `
  ALTER TABLE sessions ADD COLUMN signing_key TEXT;
  ALTER TABLE sessions ADD COLUMN key_is_assumed INTEGER NOT NULL DEFAULT 0;
  UPDATE sessions SET key_is_assumed = 1;`
const ADD_SALT = /* sql */ `INSERT INTO meta (name, value) VALUES ('salt', ?)`
const FIND_SALT = /* sql */ `SELECT value FROM meta WHERE name = 'salt'`
const CHECK = /* sql */ `PRAGMA integrity_check(1)`

const SALT_BYTES = 16
const SALT = /^[0-9a-f]{32}$/

const NOUN = 'session'
const OWN: OwnFile = {
  noun: `${NOUN} database`,
  ownTables: /* sql */ `
    SELECT 1 FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name = 'sessions' AND columns.name = 'digest'
      AND EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta')`,
  missing: 'sessions',
  hint: 'Move it away, or choose another folder with BOARD_HOME.',
}

/** Append-only: entry n upgrades a file from version n to version n + 1. */
const MIGRATIONS: readonly Migration[] = [createTables, addSigningKey]

/** Suffixes of a database's files. The database is last: a WAL must never exist without it. */
const PARTS = ['-wal', '-journal', '']

/**
 * Opens the sessions of the board; a missing file is created. A damaged file is moved to `<path>.corrupt-<unix seconds>` and
 * replaced by a new one: the board starts, and all users have to log in again.
 *
 * @throws AppError `configuration/store_foreign`, `configuration/store_newer`, `unavailable/store_…`
 *
 * Source: Board Access Gate, "Session cookie"; decisions on security, section 2, "B store".
 */
export function openSessionDatabase(path: string, options: SessionDatabaseOptions): SessionDatabase {
  try {
    return open(path, options)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'store_corrupt') throw error
    options.onCorrupt(putAside(path, options.now ?? Date.now))
    return open(path, options)
  }
}

function open(path: string, { ownerNonce, onLost }: SessionDatabaseOptions): SessionDatabase {
  const database = new Database(path, {
    ownerNonce,
    ...(onLost ? { onLost } : {}),
    noun: NOUN,
    refuseForeign: (connection, file) => refuseOthers(connection, file, OWN),
  })
  try {
    // Makes no copy: a copy would keep sessions that end later.
    migrate(database, { noun: NOUN, steps: MIGRATIONS })
    const sessions = new SqliteSessionStore(database, readSalt(database))
    return {
      sessions,
      copyTo: (copy, signal) => database.copyTo(copy, signal),
      checkWritable: () => checkWritable(database),
      verify: () => database.verify(),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function createTables(database: Database): void {
  database.exec(CREATE_TABLES)
  database.run(ADD_SALT, randomBytes(SALT_BYTES).toString('hex'))
}

function addSigningKey(database: Database): void {
  database.exec(ADD_SIGNING_KEY)
}

/** Checks the whole file, which is small: damage found later would prevent every login until the next start. */
function readSalt(database: Database): string {
  const isWhole = database.first(CHECK)?.integrity_check === 'ok'
  const salt = database.first(FIND_SALT)?.value
  if (isWhole && typeof salt === 'string' && SALT.test(salt)) return salt
  throw new AppError('unavailable', 'store_corrupt', `The ${NOUN} database is damaged.`)
}

/** The files stay together: the WAL may contain rows that can still be saved. @returns the new path */
function putAside(path: string, now: () => number): string {
  let seconds = Math.floor(now() / 1000)
  while (existsSync(`${path}.corrupt-${seconds}`)) seconds++
  const kept = `${path}.corrupt-${seconds}`
  try {
    for (const part of PARTS) if (existsSync(path + part)) renameSync(path + part, kept + part)
  } catch (error) {
    throw toFileError(error, path)
  }
  return kept
}
