import { randomUUID } from 'node:crypto'
import { AppError } from '../../../model/app-error.js'
import type { Connection } from '../connection/connection.js'
import { quoted } from '../connection/connection.js'
import { stateOf } from '../connection/store-error.js'
import { LOGIN_FAILURE_TABLE } from '../tasks/login-failures.js'
import type { Migration } from './migrate.js'

/** Append-only: entry n upgrades a ledger from version n to version n + 1. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  createLedger,
  addConsumers,
  addLoginFailures,
  addRemovals,
  addSources,
  addNotes,
]

/** The version that a ledger has once it is migrated. */
export const SCHEMA_VERSION = LEDGER_MIGRATIONS.length

const EVENT_TABLES = /* sql */ `
  CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);

  -- The newest event. A transaction that records holds this row to its commit, so the order of captured_us is the order of commits.
  -- marked_us: the newest row of event_marks.
  CREATE TABLE ledger_clock (
    id integer PRIMARY KEY CHECK (id = 1),
    last_us bigint NOT NULL, seq bigint NOT NULL, digest text NOT NULL,
    marked_us bigint NOT NULL, marked_seq bigint NOT NULL,
    -- Unused since 0.7.11.
    probe bigint NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO ledger_clock VALUES (1, 0, 0, repeat('00', 32), 0, 0, 0);

  -- Kept for ever, although partitions of events may be detached: a repeat of an old event is still a repeat.
  CREATE TABLE event_keys (
    dedupe_key text COLLATE "C" PRIMARY KEY, captured_us bigint NOT NULL, seen_count bigint NOT NULL
  ) WITH (fillfactor = 90);

  -- An event is body || tail: what never changes, then the members that change and the closing brace.
  -- said: its texts, folded, for searches; long_said: the same where they are too long for the index.
  -- seq has no gaps, and rises with captured_us.
  CREATE TABLE events (
    captured_us bigint NOT NULL,
    seq bigint NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C" NOT NULL,
    -- NULL for none.
    occurred_us bigint,
    digest bytea NOT NULL,
    tail text COLLATE "C" NOT NULL,
    facets text[] COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    said text COLLATE "C",
    long_said text COLLATE "C",
    PRIMARY KEY (captured_us)
  ) PARTITION BY RANGE (captured_us);
  -- Events of months that have no partition of their own, such as those of a clock that is wrong.
  CREATE TABLE events_other PARTITION OF events DEFAULT WITH (fillfactor = 95);
  CREATE INDEX events_facets ON events USING gin (facets);
  CREATE INDEX events_long ON events (captured_us) WHERE long_said IS NOT NULL;

  CREATE TABLE source_counters (
    source text COLLATE "C" PRIMARY KEY, events bigint NOT NULL, duplicates bigint NOT NULL, latest_us bigint
  ) WITH (fillfactor = 50);
  CREATE TABLE kind_counters (kind text COLLATE "C" PRIMARY KEY, events bigint NOT NULL) WITH (fillfactor = 50);

  -- Every few hundred events: how many there were up to this one, in all and of each source that has had some since the
  -- mark before (write/event-writer.ts).
  CREATE TABLE event_marks (captured_us bigint PRIMARY KEY, seq bigint NOT NULL);
  CREATE TABLE source_marks (
    source text COLLATE "C" NOT NULL, captured_us bigint NOT NULL, events bigint NOT NULL,
    PRIMARY KEY (source, captured_us)
  );`

const OTHER_TABLES = /* sql */ `
  -- The version rises with every change that other servers have to know of; each row has that of its last change.
  CREATE TABLE subscription_version (
    id integer PRIMARY KEY CHECK (id = 1), version bigint NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO subscription_version VALUES (1, 0);
  CREATE TABLE subscriptions (
    id text COLLATE "C" PRIMARY KEY, owner_user_id text COLLATE "C", body text NOT NULL, version bigint NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX subscriptions_by_owner ON subscriptions (owner_user_id, id);
  CREATE INDEX subscriptions_by_version ON subscriptions (version);
  CREATE TABLE deleted_subscriptions (id text COLLATE "C" PRIMARY KEY, version bigint NOT NULL);
  CREATE INDEX deleted_subscriptions_by_version ON deleted_subscriptions (version);

  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    username text COLLATE "C" NOT NULL,
    role text NOT NULL,
    enabled boolean NOT NULL,
    password_hash text NOT NULL,
    created_at text NOT NULL,
    updated_at text NOT NULL
  );
  -- A username is ASCII, and "C" folds nothing else.
  CREATE UNIQUE INDEX users_by_name ON users (lower(username));
  CREATE TABLE api_tokens (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL UNIQUE,
    prefix text NOT NULL,
    may text NOT NULL,
    sources text NOT NULL,
    name text,
    expires_at text,
    created_at text NOT NULL,
    last_used_at text
  );
  CREATE INDEX api_tokens_by_user ON api_tokens (user_id, seq);
  CREATE TABLE account_log (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, is_login boolean NOT NULL, body text NOT NULL
  );
  CREATE INDEX account_log_by_kind ON account_log (is_login, seq);

  -- Instants in microseconds of the database server's clock.
  CREATE TABLE sessions (
    digest text COLLATE "C" PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    address text,
    started_us bigint NOT NULL,
    used_us bigint NOT NULL,
    ends_us bigint NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX sessions_by_user ON sessions (user_id);

  -- Work that one server alone may do. fence rises with each holder.
  CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL, ends_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);`

const CONSUMER_TABLES = /* sql */ `
  CREATE TABLE consumers (
    name text COLLATE "C" PRIMARY KEY,
    owner_user_id text COLLATE "C",
    filters text NOT NULL,
    checkpoint bigint NOT NULL,
    read_to bigint NOT NULL,
    epoch text NOT NULL,
    fence bigint NOT NULL,
    leased_until bigint NOT NULL,
    acknowledged_at bigint,
    failures bigint NOT NULL DEFAULT 0,
    last_error text,
    failed_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX consumers_by_owner ON consumers (owner_user_id);

  -- Ids are not used again: a page may still show one that is gone.
  CREATE TABLE dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    consumer text COLLATE "C" NOT NULL,
    captured_us bigint NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    error text NOT NULL,
    attempts integer NOT NULL,
    failed_at bigint NOT NULL,
    retrying boolean NOT NULL DEFAULT false,
    UNIQUE (consumer, captured_us)
  );
  CREATE INDEX dead_letters_of_consumer ON dead_letters (consumer, retrying, id);`

const REMOVAL_TABLES = /* sql */ `
  -- changes: the number of the newest row of event_changes. pruned_us, pruned_seq: the newest event that retention has
  -- removed; 0 for none. state: \`importing\` while an import is not complete, \`moved\` once another ledger continues this one.
  ALTER TABLE ledger_clock
    ADD COLUMN changes bigint NOT NULL DEFAULT 0,
    ADD COLUMN pruned_us bigint NOT NULL DEFAULT 0,
    ADD COLUMN pruned_seq bigint NOT NULL DEFAULT 0,
    ADD COLUMN state text NOT NULL DEFAULT 'open';

  -- SHA-256 of the content that an erasure has removed, in hex; the body is then a tombstone.
  ALTER TABLE events ADD COLUMN content_digest text COLLATE "C";

  -- What is left of an event after retention has removed it. Its row in events is deleted.
  CREATE TABLE pruned_events (
    captured_us bigint PRIMARY KEY,
    seq bigint NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    content_digest text COLLATE "C" NOT NULL,
    provenance text COLLATE "C" NOT NULL,
    tail text COLLATE "C" NOT NULL
  );
  -- One row for each pruning: the newest event that it has removed, and the event that records it.
  CREATE TABLE prunings (through_us bigint PRIMARY KEY, entry_us bigint NOT NULL);

  -- The last change of each event that changed after it was captured, for ledgers that copy this one.
  CREATE TABLE event_changes (captured_us bigint PRIMARY KEY, number bigint NOT NULL UNIQUE);`

const SOURCE_TABLES = /* sql */ `
  CREATE TABLE sources (
    name text COLLATE "C" PRIMARY KEY, body text NOT NULL, created_at text NOT NULL, updated_at text NOT NULL
  );

  -- Apart from the definitions: only verifying a delivery reads them.
  CREATE TABLE source_secrets (name text COLLATE "C" PRIMARY KEY, secrets text NOT NULL);`

const NOTE_TABLE = /* sql */ `
  -- What the servers remember of their work (note-store.ts). The ledger does not depend on it.
  CREATE TABLE notes (
    kind text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, revision bigint NOT NULL, body text NOT NULL,
    PRIMARY KEY (kind, name)
  ) WITH (fillfactor = 50);`

const ADD_META = /* sql */ `INSERT INTO meta (name, value) VALUES ('epoch', $1), ('closed', 'false')`
/** Each database numbers the changes of events independently. */
const ADD_NUMBERING = /* sql */ `INSERT INTO meta (name, value) VALUES ('change_numbering', $1)`
const TRIGRAM_SCHEMA = /* sql */ `
  SELECT nspname AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
  WHERE extname = 'pg_trgm'`

async function createLedger(connection: Connection): Promise<void> {
  await connection.script(EVENT_TABLES)
  const trigrams = quoted(await trigramSchema(connection))
  await connection.script(`CREATE INDEX events_said ON events USING gin (said ${trigrams}.gin_trgm_ops)`)
  await connection.script(OTHER_TABLES)
  await connection.run(ADD_META, randomUUID())
}

/** Named consumers and their dead letters (docs/decisions/0070). */
async function addConsumers(connection: Connection): Promise<void> {
  await connection.script(CONSUMER_TABLES)
}

/** Failed logins, which the servers count together (docs/decisions/0076). */
async function addLoginFailures(connection: Connection): Promise<void> {
  await connection.script(LOGIN_FAILURE_TABLE)
}

/** Removed content (docs/decisions/0064), and what copies need (0053). */
async function addRemovals(connection: Connection): Promise<void> {
  await connection.script(REMOVAL_TABLES)
  await connection.run(ADD_NUMBERING, randomUUID())
}

/** Sources that operators define (docs/decisions/0078). */
async function addSources(connection: Connection): Promise<void> {
  await connection.script(SOURCE_TABLES)
}

/** State that the servers keep about their work (docs/decisions/0087). */
async function addNotes(connection: Connection): Promise<void> {
  await connection.script(NOTE_TABLE)
}

/** SQLSTATE: the files of the extension are missing. */
const FEATURE_NOT_SUPPORTED = '0A000'

function trigramsMissing(): AppError {
  const message = 'The database server does not have the extension pg_trgm.'
  return new AppError('configuration', 'store_extension', message, {
    hint: 'Install the package with the extensions of PostgreSQL (postgresql-contrib) on its machine.',
  })
}

/** Schema of the extension that indexes texts, which is trusted: a role that may create in the database may install it. */
async function trigramSchema(connection: Connection): Promise<string> {
  const find = async () => (await connection.run(TRIGRAM_SCHEMA))[0]?.schema
  const found = await find()
  if (found !== undefined) return String(found)
  try {
    await connection.script('CREATE EXTENSION pg_trgm')
  } catch (error) {
    throw stateOf(error) === FEATURE_NOT_SUPPORTED ? trigramsMissing() : error
  }
  return String(await find())
}
