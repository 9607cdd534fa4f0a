import { randomBytes } from 'node:crypto'
import type { Connection } from '../connection/connection.js'
import { LOGIN_FAILURE_TABLE } from '../tasks/login-failures.js'
import type { Migration } from '../upgrade/migrate.js'

/** Append-only: entry n upgrades a board from version n to version n + 1. */
export const BOARD_MIGRATIONS: readonly Migration[] = [createBoard, addClosed]

const TABLES = /* sql */ `
  CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);

  -- A transaction that changes cards, runs or their history holds this row, so changes of a board are made one after the other.
  CREATE TABLE board (
    id integer PRIMARY KEY CHECK (id = 1),
    paused boolean NOT NULL,
    -- Written to prove that the database can commit.
    probe bigint NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO board VALUES (1, false, 0);

  -- seq numbers the cards in the order of their creation.
  CREATE TABLE cards (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    board_column text COLLATE "C" NOT NULL,
    rank double precision NOT NULL,
    version bigint NOT NULL,
    assignee text COLLATE "C",
    labels text NOT NULL,
    links text NOT NULL,
    created_at text NOT NULL,
    updated_at text NOT NULL,
    title text NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX cards_by_rank ON cards (board_column, rank);
  CREATE INDEX cards_by_assignee ON cards (assignee, seq);

  -- body: what CardAction has.
  CREATE TABLE card_history (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    card_id text COLLATE "C" NOT NULL,
    at text NOT NULL,
    actor text NOT NULL,
    actor_name text,
    action text NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX card_history_by_card ON card_history (card_id, seq);
  CREATE INDEX card_history_deleted ON card_history (seq) WHERE action = 'deleted';

  -- fence: of the turn in which an executor took the run. cancel_by: who asked that executor to cancel it, as JSON.
  CREATE TABLE runs (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    card_id text COLLATE "C" NOT NULL,
    mode text NOT NULL,
    state text NOT NULL,
    reason text,
    exit_code integer,
    signal text,
    created_at text NOT NULL,
    started_at text,
    finished_at text,
    timeout_seconds integer NOT NULL,
    log_bytes bigint NOT NULL,
    log_dropped_bytes bigint NOT NULL,
    log_seq bigint NOT NULL DEFAULT 0,
    plan text,
    marker text,
    fence bigint,
    cancel_by text
  ) WITH (fillfactor = 80);
  CREATE INDEX runs_by_card ON runs (card_id, seq);
  CREATE INDEX runs_by_state ON runs (state, seq);
  -- Texts as bytes: they may contain NUL.
  CREATE TABLE run_log (
    run bigint NOT NULL, seq bigint NOT NULL, at text NOT NULL, stream text NOT NULL, text bytea NOT NULL,
    PRIMARY KEY (run, seq)
  );

  -- Times are whole seconds of Unix time.
  CREATE TABLE sessions (
    digest text COLLATE "C" PRIMARY KEY, signing_key text NOT NULL, expires_at bigint NOT NULL
  );

  -- Work that one server alone may do. fence rises with each holder.
  CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL, ends_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);`

const ADD_SALT = /* sql */ `INSERT INTO meta (name, value) VALUES ('salt', $1)`
const SALT_BYTES = 16

async function createBoard(connection: Connection): Promise<void> {
  await connection.script(TABLES)
  await connection.script(LOGIN_FAILURE_TABLE)
  await connection.run(ADD_SALT, randomBytes(SALT_BYTES).toString('hex'))
}

/** `BoardClosed`, as JSON; NULL: the board accepts changes. It is in the row that every change locks. */
const CLOSED = /* sql */ `ALTER TABLE board ADD COLUMN closed text`

async function addClosed(connection: Connection): Promise<void> {
  await connection.script(CLOSED)
}
