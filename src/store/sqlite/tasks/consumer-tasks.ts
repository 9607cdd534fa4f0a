import { AppError } from '../../../model/app-error.js'
import { type ConsumerPosition, unknownConsumer } from '../../../model/consumers/consumer.js'
import type { Micros } from '../../../model/timestamp.js'
import {
  decideCheckpoint,
  decideLease,
  leaseEnd,
  nameTakenError,
  nextFence,
  positionInstant,
  tooManyConsumers,
  unknownDeadLetter,
} from '../../consumer-rules.js'
import type {
  Acknowledgement,
  ConsumerDraft,
  ConsumerKey,
  DeadLetterChoice,
  Lease,
  LeaseRequest,
  StoredConsumer,
  StoredDeadLetter,
  Unread,
} from '../../consumer-store.js'
import { toConsumer, toDeadLetter, toPlace } from '../../rows/stored-consumer.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import type { Database, Row } from '../files/database.js'
import { readBounds } from '../read/ledger-bounds.js'
import { read, write } from '../thread/task.js'
import type { Epoch } from '../write/follow-state.js'

export const CONSUMER_TABLES = /* sql */ `
  CREATE TABLE consumers (
    name TEXT PRIMARY KEY,
    owner_user_id TEXT,
    filters TEXT NOT NULL,
    checkpoint INTEGER NOT NULL,
    read_to INTEGER NOT NULL,
    epoch TEXT NOT NULL,
    fence INTEGER NOT NULL,
    leased_until INTEGER NOT NULL,
    acknowledged_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    failed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX consumers_by_owner ON consumers (owner_user_id);

  -- Ids are not used again: a page may still show one that is gone.
  CREATE TABLE dead_letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    consumer TEXT NOT NULL,
    captured_us INTEGER NOT NULL,
    dedupe_key TEXT NOT NULL,
    error TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    failed_at INTEGER NOT NULL,
    retrying INTEGER NOT NULL DEFAULT 0,
    UNIQUE (consumer, captured_us)
  ) STRICT;
  CREATE INDEX dead_letters_of_consumer ON dead_letters (consumer, retrying, id);
`

const SELECT = /* sql */ `
  SELECT *, (SELECT count(*) FROM dead_letters WHERE consumer = name) AS dead_letters,
    (SELECT count(*) FROM dead_letters WHERE consumer = name AND retrying = 1) AS retries
  FROM consumers`
const FIND = `${SELECT} WHERE name = ?`
const LIST = `${SELECT} ORDER BY name`
const LIST_OF_OWNER = `${SELECT} WHERE owner_user_id = ? ORDER BY name`
const COUNT = /* sql */ `SELECT count(*) AS count FROM consumers WHERE owner_user_id IS ?`
const CREATE = /* sql */ `
  INSERT INTO consumers
    (name, owner_user_id, filters, checkpoint, read_to, epoch, fence, leased_until, created_at, updated_at)
  VALUES (?1, ?2, ?3, ?4, ?4, ?5, 0, 0, ?6, ?6)`
/**
 * A batch that is out was read with the old filters: its acknowledgement would skip events that match the new ones. So
 * the lease on it ends.
 */
const SET_FILTERS = /* sql */ `
  UPDATE consumers SET filters = ?2, updated_at = ?3,
    read_to = iif(read_to > checkpoint AND filters <> ?2, checkpoint, read_to),
    fence = iif(read_to > checkpoint AND filters <> ?2, fence + 1, fence),
    leased_until = iif(read_to > checkpoint AND filters <> ?2, 0, leased_until)
  WHERE name = ?1`
const DELETE = /* sql */ `DELETE FROM consumers WHERE name = ?`
const LEASE = /* sql */ `UPDATE consumers SET fence = ?2, leased_until = ?3, read_to = ?4 WHERE name = ?1`
const MOVE = /* sql */ `
  UPDATE consumers SET checkpoint = ?2, leased_until = ?3, acknowledged_at = ?4 WHERE name = ?1`
const FAIL = /* sql */ `
  UPDATE consumers SET failures = failures + 1, last_error = ?2, failed_at = ?3 WHERE name = ?1`
export const SEEK = /* sql */ `
  UPDATE consumers
  SET checkpoint = ?2, read_to = ?2, epoch = ?3, fence = ?4, leased_until = 0, updated_at = ?5 WHERE name = ?1`
const FIRST_AFTER = /* sql */ `
  SELECT seq, captured_us FROM events WHERE captured_us > ? ORDER BY captured_us LIMIT 1`

const LETTER = 'id, captured_us, dedupe_key, error, attempts, failed_at, retrying'
const LIST_LETTERS = /* sql */ `
  SELECT ${LETTER} FROM dead_letters WHERE consumer = ? AND id > ? ORDER BY id LIMIT ?`
const FIRST_RETRY = /* sql */ `
  SELECT ${LETTER} FROM dead_letters WHERE consumer = ? AND retrying = 1 ORDER BY id LIMIT 1`
const ADD_LETTER = /* sql */ `
  INSERT INTO dead_letters (consumer, captured_us, dedupe_key, error, attempts, failed_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (consumer, captured_us) DO UPDATE SET
    error = excluded.error, attempts = excluded.attempts, failed_at = excluded.failed_at, retrying = 0`
const HAS_LETTER = /* sql */ `SELECT 1 FROM dead_letters WHERE consumer = ? AND captured_us = ?`
const END_RETRY = /* sql */ `DELETE FROM dead_letters WHERE consumer = ? AND id = ? AND retrying = 1`
const RETRY_ONE = /* sql */ `UPDATE dead_letters SET retrying = 1 WHERE consumer = ? AND id = ?`
const RETRY_ALL = /* sql */ `UPDATE dead_letters SET retrying = 1 WHERE consumer = ?`
const DELETE_ONE = /* sql */ `DELETE FROM dead_letters WHERE consumer = ? AND id = ?`
const DELETE_ALL = /* sql */ `DELETE FROM dead_letters WHERE consumer = ?`
/** For events that are erased or removed: the program that failed may have quoted them. */
export const EMPTY_ERRORS = /* sql */ `
  UPDATE dead_letters SET error = '' WHERE captured_us IN (SELECT value FROM json_each(?))`
export const EMPTY_ERRORS_THROUGH = /* sql */ `UPDATE dead_letters SET error = '' WHERE captured_us <= ? AND error <> ''`

/** The methods of `ConsumerStore`, in the order of the contract. */
export function consumerTasks(
  database: Database,
  ledger: Readonly<Epoch> & { pruned: Pick<PrunedEvents, 'throughAt'> },
) {
  const rowOf = ({ name, owner }: ConsumerKey) => {
    const row = database.first(FIND, name)
    return row && (owner === undefined || row.owner_user_id === owner) ? row : undefined
  }
  /** Used by reads, which throw when they are refused. */
  const existing = (key: ConsumerKey): string => {
    if (!rowOf(key)) throw unknownConsumer()
    return key.name
  }
  /** Runs a write for a consumer that exists. */
  const ofConsumer =
    <Args extends unknown[], Result>(run: (row: Row, ...args: Args) => Result) =>
    (key: ConsumerKey, ...args: Args) => {
      const row = rowOf(key)
      return row ? run(row, ...args) : unknownConsumer()
    }
  const head = () => readBounds(database).head ?? 0
  const readConsumer = (name: string) => toConsumer(database.first(FIND, name) as Row)
  const chosen = (one: string, all: string) =>
    ofConsumer((row, choice: DeadLetterChoice) => {
      if (choice === 'all') return database.run(all, String(row.name))
      return database.run(one, String(row.name), choice) || unknownDeadLetter()
    })
  return {
    find: read((key: ConsumerKey): StoredConsumer | undefined => {
      const row = rowOf(key)
      return row && toConsumer(row)
    }),
    list: read((owner?: string): StoredConsumer[] => {
      return (owner === undefined ? database.all(LIST) : database.all(LIST_OF_OWNER, owner)).map(toConsumer)
    }),
    save: write((draft: ConsumerDraft, rules: { owner?: string | undefined; most: number; now: Micros }) => {
      const { name, owner_user_id, filters } = draft
      const before = database.first(FIND, name)
      if (before) {
        if (rules.owner !== undefined && before.owner_user_id !== rules.owner) return nameTakenError()
        if (filters) database.run(SET_FILTERS, name, JSON.stringify(filters), rules.now)
        return { created: false, consumer: readConsumer(name) }
      }
      if (Number(database.first(COUNT, owner_user_id)?.count) >= rules.most) return tooManyConsumers(rules.most)
      const start = positionInstant(draft.position, { head: head(), same: 0 })
      database.run(CREATE, name, owner_user_id, JSON.stringify(filters ?? {}), start, ledger.epoch, rules.now)
      return { created: true, consumer: readConsumer(name) }
    }),
    delete: write(
      ofConsumer(({ name }): void => {
        database.run(DELETE_ALL, String(name))
        database.run(DELETE, String(name))
      }),
    ),
    lease: write(
      ofConsumer((row, request: LeaseRequest): Lease | AppError => {
        const decided = decideLease(toPlace(row), request, ledger.epoch)
        if (decided instanceof AppError || !decided.granted) return decided
        database.run(LEASE, String(row.name), decided.fence, decided.until, decided.readTo)
        return { granted: true, consumer: readConsumer(String(row.name)) }
      }),
    ),
    acknowledge: write(
      ofConsumer((row, acknowledgement: Acknowledgement) => {
        const { now, retried, deadLetters = [], error } = acknowledgement
        const name = String(row.name)
        const added = deadLetters.filter(letter => !database.first(HAS_LETTER, name, letter.captured_at))
        const letters = Number(row.dead_letters) + added.length
        const rules = { epoch: ledger.epoch, deadLetters: letters }
        const checkpoint = decideCheckpoint(toPlace(row), acknowledgement, rules)
        if (checkpoint instanceof AppError) return checkpoint
        if (retried !== undefined) database.run(END_RETRY, name, retried)
        for (const letter of deadLetters) {
          database.run(ADD_LETTER, name, letter.captured_at, letter.dedupe_key, letter.error, letter.attempts, now)
        }
        database.run(MOVE, name, checkpoint, leaseEnd(acknowledgement), now)
        if (error !== undefined) database.run(FAIL, name, error, now)
        return readConsumer(name)
      }),
    ),
    seek: write(
      ofConsumer((row, position: ConsumerPosition, now: Micros) => {
        const place = positionInstant(position, { head: head(), same: Number(row.checkpoint) })
        database.run(SEEK, String(row.name), place, ledger.epoch, nextFence(toPlace(row), now), now)
        return readConsumer(String(row.name))
      }),
    ),
    unread: read((checkpoints: readonly Micros[]): Unread[] => {
      const { seq: last } = readBounds(database)
      return checkpoints.map(checkpoint => {
        const first = database.first(FIRST_AFTER, Math.max(checkpoint, ledger.pruned.throughAt ?? 0))
        const [events, oldest] = first ? [last - Number(first.seq) + 1, Number(first.captured_us)] : [0, null]
        return { events, exact: true, oldest }
      })
    }),
    listDeadLetters: read((key: ConsumerKey, { after, limit }: { after: number; limit: number }) => {
      return database.all(LIST_LETTERS, existing(key), after, limit).map(toDeadLetter)
    }),
    findRetry: read((key: ConsumerKey): StoredDeadLetter | undefined => {
      const row = database.first(FIRST_RETRY, existing(key))
      return row && toDeadLetter(row)
    }),
    retryDeadLetters: write(chosen(RETRY_ONE, RETRY_ALL)),
    deleteDeadLetters: write(chosen(DELETE_ONE, DELETE_ALL)),
  }
}
