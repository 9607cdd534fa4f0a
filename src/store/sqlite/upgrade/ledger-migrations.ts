import { randomUUID } from 'node:crypto'
import { toTimestamp } from '../../../model/timestamp.js'
import { PRUNINGS_TABLE } from '../erase/pruned-events.js'
import type { Database } from '../files/database.js'
import { ACCOUNT_LOG_TABLE } from '../tasks/account-log.js'
import { CONSUMER_TABLES } from '../tasks/consumer-tasks.js'
import { NOTE_TABLE } from '../tasks/note-tasks.js'
import { SOURCE_TABLES } from '../tasks/source-tasks.js'
import { EVENT_CHANGES_TABLE } from '../write/event-changes.js'
import { markAll, SOURCE_MARK_TABLE } from '../write/source-marks.js'
import type { Migration } from './migrate.js'
import { carryOverUsers } from './older-users.js'
import { rebuildFromBodies } from './rebuild.js'

/** Append-only: entry n upgrades a ledger from version n to version n + 1. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  createLedger,
  addUsers,
  addSourceMarks,
  addTokenRights,
  addAccountLog,
  carryOlderUsers,
  addSignatures,
  addOutcomes,
  addTokenNames,
  addDigests,
  addConsumers,
  addErasing,
  addEventChanges,
  addChangeNumbering,
  addSources,
  addSequencesOfCharacters,
  addNotes,
]

/** The version that a ledger has once it is migrated. */
export const SCHEMA_VERSION = LEDGER_MIGRATIONS.length

const LEDGER_TABLES = /* sql */ `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;

  -- seq has no gaps: nothing is ever deleted, and a repeat inserts nothing. captured_us rises with it.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    dedupe_key TEXT NOT NULL UNIQUE,
    captured_us INTEGER NOT NULL UNIQUE,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    seen_count INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE subscriptions (id TEXT PRIMARY KEY, owner_user_id TEXT, body TEXT NOT NULL) STRICT;

  CREATE TABLE source_counters (
    source TEXT PRIMARY KEY, events INTEGER NOT NULL, duplicates INTEGER NOT NULL, latest_us INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE kind_counters (kind TEXT PRIMARY KEY, events INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- Trails the commits: has the events up to meta.indexed_seq (search-index.ts).
  CREATE VIRTUAL TABLE event_facets USING fts5(
    facets, content = '', detail = none, columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_{|}~\`'"
  );
  -- Events with so much text that a search looks at each of them.
  CREATE TABLE event_text_overlong (seq INTEGER PRIMARY KEY) STRICT;
`

const LEDGER_NAMES = ['meta', 'events', 'subscriptions', 'source_counters', 'kind_counters', 'event_text_overlong']

/**
 * The first schema. Of older ledgers, only `events.body` and `subscriptions.body` are certain: tables of our names are
 * renamed to `older_…`, and every other column is derived from the bodies.
 *
 * Source: Event Ledger Service, "Storage".
 */
function createLedger(database: Database): void {
  const older = setAside(database, LEDGER_NAMES)
  database.exec(LEDGER_TABLES)
  database.run(`INSERT INTO meta VALUES ('epoch', ?), ('indexed_seq', 0), ('probe', 0)`, randomUUID())
  if (older.length > 0) rebuildFromBodies(database, older)
}

const USER_TABLES = /* sql */ `
  -- NOCASE folds ASCII, and a username is nothing else.
  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    password_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- seq rises with each token that is added, created_at only as well as the clock does.
  CREATE TABLE api_tokens (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    UNIQUE (user_id, seq)
  ) STRICT;
`

/**
 * Users and their tokens, and whether there ever were any. If an older ledger has users, their table is renamed, and a
 * later migration carries them over. A closed ledger stays closed.
 *
 * Source: decisions on identity, section 5.
 */
function addUsers(database: Database): void {
  const older = setAside(database, ['users', 'api_tokens'])
  const hadUsers = older.includes('users') && database.first('SELECT 1 FROM older_users LIMIT 1') !== undefined
  database.exec(USER_TABLES)
  database.run(`INSERT INTO meta VALUES ('closed', ?)`, hadUsers ? 1 : 0)
}

/** The notes for counts by source in any range (docs/decisions/0014). */
function addSourceMarks(database: Database): void {
  setAside(database, ['source_marks'])
  database.exec(SOURCE_MARK_TABLE)
  markAll(database)
}

/** Tokens that only record events of named sources. Existing tokens keep all rights of their user. */
function addTokenRights(database: Database): void {
  database.exec(`ALTER TABLE api_tokens ADD COLUMN may TEXT NOT NULL DEFAULT 'all'`)
  database.exec(`ALTER TABLE api_tokens ADD COLUMN sources TEXT NOT NULL DEFAULT '[]'`)
}

/** The account log, and an index to find and count the subscriptions of one owner. */
function addAccountLog(database: Database): void {
  setAside(database, ['account_log'])
  database.exec(ACCOUNT_LOG_TABLE)
  database.exec('CREATE INDEX IF NOT EXISTS subscriptions_by_owner ON subscriptions (owner_user_id, id)')
}

/**
 * The users of an older ledger, whether it is upgraded now or was by a release that only renamed their tables. Older tokens
 * may also be in tables of other names.
 */
function carryOlderUsers(database: Database): void {
  setAside(database, ['tokens', 'user_tokens'])
  const older = tablesNamed(database, ['older_users', 'older_api_tokens', 'older_tokens', 'older_user_tokens'])
  const [users, tokens] = [older.filter(name => name === 'older_users'), older.filter(name => name !== 'older_users')]
  carryOverUsers(database, { users, tokens }, toTimestamp(Date.now() * 1000))
}

const SIGNATURE_TABLES = /* sql */ `
  DROP TABLE IF EXISTS event_text;
  DROP TABLE IF EXISTS event_segments;
  DROP TABLE IF EXISTS event_signatures;

  -- Where the signatures of the texts are (text-index.ts). Events after the last segment are in memory.
  CREATE TABLE event_segments (
    number INTEGER PRIMARY KEY, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, matrices TEXT NOT NULL
  ) STRICT;
  CREATE TABLE event_signatures (key INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;
`

/** Signatures in place of an index of trigrams (docs/decisions/0036). The store fills them while it runs. */
function addSignatures(database: Database): void {
  database.exec(SIGNATURE_TABLES)
}

const EMPTY_INDEXES = /* sql */ `
  INSERT INTO event_facets (event_facets) VALUES ('delete-all');
  DELETE FROM event_segments;
  DELETE FROM event_signatures;
  UPDATE meta SET value = 0 WHERE name = 'indexed_seq';
`

/** Outcomes are facets (docs/decisions/0037). The store fills both indexes again while it runs, in one pass over the events. */
function addOutcomes(database: Database): void {
  database.exec(EMPTY_INDEXES)
}

/** Names and ends of tokens. Existing tokens have neither. */
function addTokenNames(database: Database): void {
  database.exec('ALTER TABLE api_tokens ADD COLUMN name TEXT')
  database.exec('ALTER TABLE api_tokens ADD COLUMN expires_at TEXT')
}

/** Digests of the events (docs/decisions/0051). The store fills them while it runs. */
function addDigests(database: Database): void {
  database.exec('ALTER TABLE events ADD COLUMN digest BLOB')
}

/** Named consumers and their dead letters (docs/decisions/0070). */
function addConsumers(database: Database): void {
  setAside(database, ['consumers', 'dead_letters'])
  database.exec(CONSUMER_TABLES)
}

/**
 * Events without content keep its digest; the index of facets has digests of names, and deleted entries leave no trace
 * in it (docs/decisions/0054). The store fills the indexes again while it runs. BackgroundRemoval has done nothing yet.
 *
 * Source: SQLite, "FTS5", the option `secure-delete`.
 */
function addErasing(database: Database): void {
  database.exec('ALTER TABLE events ADD COLUMN content_digest BLOB')
  database.exec(PRUNINGS_TABLE)
  database.exec(EMPTY_INDEXES)
  database.exec(`INSERT INTO event_facets (event_facets, rank) VALUES ('secure-delete', 1)`)
  database.run(`INSERT INTO meta VALUES ('pruned_rows_seq', 0), ('pruned_texts_seq', 0)`)
}

/** Changes of events after their capture, for ledgers that copy this one (docs/decisions/0053). */
function addEventChanges(database: Database): void {
  database.exec(EVENT_CHANGES_TABLE)
}

/**
 * Names the numbering of the changes: a ledger that changes its leader must not continue with another numbering
 * (docs/decisions/0061).
 */
function addChangeNumbering(database: Database): void {
  database.run(`INSERT OR REPLACE INTO meta VALUES ('changes_numbering', ?)`, randomUUID())
}

/** Sources that operators define (docs/decisions/0078). */
function addSources(database: Database): void {
  setAside(database, ['sources', 'source_secrets'])
  database.exec(SOURCE_TABLES)
}

/** Signatures have sequences of characters in place of bytes (docs/decisions/0036). The store fills the indexes again while it runs. */
function addSequencesOfCharacters(database: Database): void {
  database.exec(EMPTY_INDEXES)
}

/** State that the servers keep about their work (docs/decisions/0087). */
function addNotes(database: Database): void {
  setAside(database, ['notes'])
  database.exec(NOTE_TABLE)
}

/** Renames tables of these names, which another program created, to `older_…`. @returns their names */
function setAside(database: Database, names: readonly string[]): string[] {
  const older = tablesNamed(database, names)
  for (const name of older) {
    for (const { name: index } of database.all(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND lower(tbl_name) = ?`,
      name,
    )) {
      database.exec(`DROP INDEX "${String(index).replaceAll('"', '""')}"`)
    }
    database.exec(`ALTER TABLE ${name} RENAME TO older_${name}`)
  }
  return older
}

function tablesNamed(database: Database, names: readonly string[]): string[] {
  return database
    .all(`SELECT lower(name) AS name FROM sqlite_schema WHERE type = 'table'`)
    .map(row => String(row.name))
    .filter(name => names.includes(name))
}
