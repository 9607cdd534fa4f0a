import { AppError } from '../../../model/app-error.js'
import { unknownConsumer } from '../../../model/consumers/consumer.js'
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
import type { ConsumerKey, ConsumerStore, DeadLetterChoice, StoredConsumer } from '../../consumer-store.js'
import { toConsumer, toDeadLetter, toPlace } from '../../rows/stored-consumer.js'
import { allSettled, type Connection, type Row } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { bigintArray, isStorable } from '../connection/text-array.js'
import { refuseUnwritable } from '../write/refuse-unwritable.js'

/** By name: with `*`, a column that a newer release adds would end the prepared statements of servers that run. */
const CONSUMER = `name, owner_user_id, filters, checkpoint, read_to, epoch, fence, leased_until, acknowledged_at, failures,
  last_error, failed_at, created_at, updated_at`
const SELECT = /* sql */ `
  SELECT ${CONSUMER}, (SELECT count(*) FROM dead_letters WHERE consumer = name) AS dead_letters,
    (SELECT count(*) FROM dead_letters WHERE consumer = name AND retrying) AS retries
  FROM consumers`
const FIND = `${SELECT} WHERE name = $1`
/** All changes of a consumer and of its dead letters lock its row first. */
const HOLD = /* sql */ `SELECT name FROM consumers WHERE name = $1 FOR UPDATE`
/** Run it after `HOLD`, which may wait for a change: except for its row, that statement would read the state before it. */
const READ_HELD = /* sql */ `
  SELECT ${CONSUMER}, (SELECT count(*) FROM dead_letters WHERE consumer = name) AS dead_letters, state,
    (SELECT value FROM meta WHERE meta.name = 'epoch') AS ledger_epoch
  FROM consumers, ledger_clock WHERE name = $1`
const LIST = `${SELECT} ORDER BY name`
const LIST_OF_OWNER = `${SELECT} WHERE owner_user_id = $1 ORDER BY name`
/**
 * Consumers are created one after the other: two servers together could otherwise exceed the limit. Also waits for
 * transactions that have only locked a row: with a weaker lock, their update and the row's lock would wait for each other.
 */
const HOLD_CREATION = /* sql */ `LOCK TABLE consumers IN EXCLUSIVE MODE`
const COUNT = /* sql */ `SELECT count(*) AS count FROM consumers WHERE owner_user_id IS NOT DISTINCT FROM $1`
const CREATE = /* sql */ `
  INSERT INTO consumers
    (name, owner_user_id, filters, checkpoint, read_to, epoch, fence, leased_until, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $4, $5, 0, 0, $6, $6)`
/**
 * A batch that is out was read with the old filters: its acknowledgement would skip events that match the new ones. So
 * the lease on it ends.
 */
const SET_FILTERS = /* sql */ `
  UPDATE consumers SET filters = $2, updated_at = $3,
    read_to = CASE WHEN read_to > checkpoint AND filters <> $2 THEN checkpoint ELSE read_to END,
    fence = CASE WHEN read_to > checkpoint AND filters <> $2 THEN fence + 1 ELSE fence END,
    leased_until = CASE WHEN read_to > checkpoint AND filters <> $2 THEN 0 ELSE leased_until END
  WHERE name = $1`
const DELETE = /* sql */ `DELETE FROM consumers WHERE name = $1`
const LEASE = /* sql */ `UPDATE consumers SET fence = $2, leased_until = $3, read_to = $4 WHERE name = $1`
const MOVE = /* sql */ `
  UPDATE consumers SET checkpoint = $2, leased_until = $3, acknowledged_at = $4 WHERE name = $1`
const FAIL = /* sql */ `
  UPDATE consumers SET failures = failures + 1, last_error = $2, failed_at = $3 WHERE name = $1`
const SEEK = /* sql */ `
  UPDATE consumers
  SET checkpoint = $2, read_to = $2, epoch = $3, fence = $4, leased_until = 0, updated_at = $5 WHERE name = $1`
const HEAD = /* sql */ `
  SELECT last_us, state, (SELECT value FROM meta WHERE name = 'epoch') AS epoch FROM ledger_clock`
/** The clock's row has the number of the newest event. */
const UNREAD = /* sql */ `
  SELECT ledger_clock.seq AS last, first.seq, first.captured_us
  FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (checkpoint, number)
  CROSS JOIN ledger_clock
  LEFT JOIN LATERAL (
    SELECT seq, captured_us FROM events WHERE captured_us > greatest(checkpoint, pruned_us) ORDER BY captured_us LIMIT 1
  ) AS first ON true
  ORDER BY number`

const LETTER = 'id, captured_us, dedupe_key, error, attempts, failed_at, retrying'
const LIST_LETTERS = /* sql */ `
  SELECT ${LETTER} FROM dead_letters WHERE consumer = $1 AND id > $2 ORDER BY id LIMIT $3`
const FIRST_RETRY = /* sql */ `
  SELECT ${LETTER} FROM dead_letters WHERE consumer = $1 AND retrying ORDER BY id LIMIT 1`
const KNOWN_LETTERS = /* sql */ `
  SELECT count(*) AS count FROM dead_letters WHERE consumer = $1 AND captured_us = ANY ($2::bigint[])`
const ADD_LETTER = /* sql */ `
  INSERT INTO dead_letters (consumer, captured_us, dedupe_key, error, attempts, failed_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (consumer, captured_us) DO UPDATE SET
    error = excluded.error, attempts = excluded.attempts, failed_at = excluded.failed_at, retrying = false`
const END_RETRY = /* sql */ `DELETE FROM dead_letters WHERE consumer = $1 AND id = $2 AND retrying`
const RETRY_ONE = /* sql */ `UPDATE dead_letters SET retrying = true WHERE consumer = $1 AND id = $2 RETURNING id`
const RETRY_ALL = /* sql */ `UPDATE dead_letters SET retrying = true WHERE consumer = $1 RETURNING id`
const DELETE_ONE = /* sql */ `DELETE FROM dead_letters WHERE consumer = $1 AND id = $2 RETURNING id`
const DELETE_ALL = /* sql */ `DELETE FROM dead_letters WHERE consumer = $1 RETURNING id`
const NOTIFY = /* sql */ `SELECT pg_notify($1, $2)`
const emptyErrors = (letters: string) => /* sql */ `
  WITH held AS (
    SELECT name FROM consumers WHERE EXISTS (SELECT 1 FROM dead_letters WHERE consumer = name AND ${letters})
    ORDER BY name FOR UPDATE
  )
  UPDATE dead_letters SET error = '' FROM held WHERE consumer = held.name AND ${letters}`
/** For events that are erased or removed: the program that failed may have quoted them. */
export const EMPTY_ERRORS = emptyErrors('captured_us = ANY ($1::bigint[])')
export const EMPTY_ERRORS_THROUGH = emptyErrors(`captured_us <= $1 AND error <> ''`)

/** Consumers in PostgreSQL. A change that a waiting read must see notifies the other servers when it commits. */
export function consumerTasks(pool: Pool, { channel, server }: { channel: string; server: string }): ConsumerStore {
  const notify = (connection: Connection, name: string) => connection.run(NOTIFY, channel, `${server} ${name}`)
  /** In a transaction that holds the row of the consumer. */
  const change = <Result>(key: ConsumerKey, work: (connection: Connection, row: Row) => Promise<Result>) =>
    pool.transaction(async connection => {
      const row = isStorable(key.name) ? await hold(connection, key.name) : undefined
      if (!isOwned(row, key)) throw unknownConsumer()
      refuseUnwritable(row)
      return work(connection, row)
    })
  const existing = async (key: ConsumerKey): Promise<string> => {
    const [row] = isStorable(key.name) ? await pool.run(FIND, key.name) : []
    if (!isOwned(row, key)) throw unknownConsumer()
    return key.name
  }
  const chosen = (one: string, all: string) => (key: ConsumerKey, choice: DeadLetterChoice) =>
    change(key, async connection => {
      await notify(connection, key.name)
      if (choice === 'all') return (await connection.run(all, key.name)).length
      const { length } = await connection.run(one, key.name, choice)
      if (length === 0) throw unknownDeadLetter()
      return length
    })
  return {
    find: async key => {
      const [row] = isStorable(key.name) ? await pool.run(FIND, key.name) : []
      return isOwned(row, key) ? toConsumer(row) : undefined
    },
    list: async owner => {
      if (owner === undefined) return (await pool.run(LIST)).map(toConsumer)
      return isStorable(owner) ? (await pool.run(LIST_OF_OWNER, owner)).map(toConsumer) : []
    },
    save: ({ name, owner_user_id, filters, position }, rules) =>
      pool.transaction(async connection => {
        await connection.run(HOLD_CREATION)
        const [ledger] = await connection.run(HEAD)
        refuseUnwritable(ledger)
        const before = await hold(connection, name)
        if (before) {
          if (!isOwned(before, { name, owner: rules.owner })) throw nameTakenError()
          await notify(connection, name)
          if (filters) await connection.run(SET_FILTERS, name, JSON.stringify(filters), rules.now)
          return { created: false, consumer: await readConsumer(connection, name) }
        }
        const [counted] = await connection.run(COUNT, owner_user_id)
        if (Number(counted?.count) >= rules.most) throw tooManyConsumers(rules.most)
        const start = positionInstant(position, { head: Number(ledger?.last_us), same: 0 })
        const values = [owner_user_id, JSON.stringify(filters ?? {}), start, String(ledger?.epoch)] as const
        await connection.run(CREATE, name, ...values, rules.now)
        return { created: true, consumer: await readConsumer(connection, name) }
      }),
    delete: key =>
      change(key, async connection => {
        await notify(connection, key.name)
        await connection.run(DELETE_ALL, key.name)
        await connection.run(DELETE, key.name)
      }),
    lease: (key, request) =>
      change(key, async (connection, row) => {
        const decided = orThrow(decideLease(toPlace(row), request, String(row.ledger_epoch)))
        if (!decided.granted) return decided
        await connection.run(LEASE, key.name, decided.fence, decided.until, decided.readTo)
        return { granted: true, consumer: await readConsumer(connection, key.name) }
      }),
    acknowledge: (key, acknowledgement) =>
      change(key, async (connection, row) => {
        const { now, retried, deadLetters = [], error } = acknowledgement
        const captured = deadLetters.map(letter => letter.captured_at)
        const [known] = await connection.run(KNOWN_LETTERS, key.name, bigintArray(captured))
        const letters = Number(row.dead_letters) + deadLetters.length - Number(known?.count)
        const decided = decideCheckpoint(toPlace(row), acknowledgement, {
          epoch: String(row.ledger_epoch),
          deadLetters: letters,
        })
        const checkpoint = orThrow(decided)
        if (retried !== undefined) await connection.run(END_RETRY, key.name, retried)
        for (const letter of deadLetters) {
          const values = [letter.captured_at, letter.dedupe_key, letter.error, letter.attempts] as const
          await connection.run(ADD_LETTER, key.name, ...values, now)
        }
        await connection.run(MOVE, key.name, checkpoint, leaseEnd(acknowledgement), now)
        if (error !== undefined) await connection.run(FAIL, key.name, error, now)
        return readConsumer(connection, key.name)
      }),
    seek: (key, position, now) =>
      change(key, async (connection, row) => {
        const { checkpoint, fence } = toPlace(row)
        await notify(connection, key.name)
        const place = positionInstant(position, { head: await readHead(connection), same: checkpoint })
        await connection.run(SEEK, key.name, place, String(row.ledger_epoch), nextFence({ fence }, now), now)
        return readConsumer(connection, key.name)
      }),
    unread: async checkpoints => {
      const rows = await pool.run(UNREAD, bigintArray(checkpoints))
      return rows.map(row => {
        if (row.seq === null) return { events: 0, exact: true, oldest: null }
        return { events: Number(row.last) - Number(row.seq) + 1, exact: true, oldest: Number(row.captured_us) }
      })
    },
    listDeadLetters: async (key, { after, limit }) => {
      return (await pool.run(LIST_LETTERS, await existing(key), after, limit)).map(toDeadLetter)
    },
    findRetry: async key => {
      const [row] = await pool.run(FIRST_RETRY, await existing(key))
      return row && toDeadLetter(row)
    },
    retryDeadLetters: chosen(RETRY_ONE, RETRY_ALL),
    deleteDeadLetters: chosen(DELETE_ONE, DELETE_ALL),
  }
}

/** Sends both statements together; the second one begins when the row is locked. */
async function hold(connection: Connection, name: string): Promise<Row | undefined> {
  const [, [row]] = await allSettled(connection.run(HOLD, name), connection.run(READ_HELD, name))
  return row
}

function isOwned(row: Row | undefined, { owner }: ConsumerKey): row is Row {
  return row !== undefined && (owner === undefined || row.owner_user_id === owner)
}

async function readConsumer(connection: Connection, name: string): Promise<StoredConsumer> {
  return toConsumer((await connection.run(FIND, name))[0] as Row)
}

async function readHead(connection: Connection): Promise<Micros> {
  return Number((await connection.run(HEAD))[0]?.last_us)
}

function orThrow<Value>(decided: Value | AppError): Value {
  if (decided instanceof AppError) throw decided
  return decided
}
