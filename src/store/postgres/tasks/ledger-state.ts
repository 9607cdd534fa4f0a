import { COPY_LIMITS } from '../../../model/ledger-copy.js'
import type { LedgerState } from '../../copy-store.js'
import { toConsumer, toDeadLetter } from '../../rows/stored-consumer.js'
import { readStoredSubscription } from '../../rows/stored-subscription.js'
import { toToken, toUser } from '../../rows/stored-user.js'
import type { Connection, Value } from '../connection/connection.js'
import { textArray } from '../connection/text-array.js'
import { announceChanges } from '../write/subscription-changes.js'
import { FORGET_DELETIONS, HOLD_VERSION } from './subscription-tasks.js'
import { MARK_CLOSED } from './user-tasks.js'

const CLOSED = /* sql */ `SELECT value FROM meta WHERE name = 'closed'`
const NOTE_DELETIONS = /* sql */ `
  WITH next AS (UPDATE subscription_version SET version = version + 1 RETURNING version)
  INSERT INTO deleted_subscriptions (id, version) SELECT id, next.version FROM subscriptions, next WHERE id <> ALL ($1::text[])
  ON CONFLICT (id) DO UPDATE SET version = excluded.version`

/** A table whose rows a copy takes from the original ledger. */
interface CopiedTable {
  list: string
  /** Deletes rows whose keys are not in the parameters, one list for each column of the key. */
  deleteOthers: string
  save: string
}

/** @param order a further column, which the database assigns */
function copiedTable(table: string, keys: readonly string[], columns: readonly string[], order?: string): CopiedTable {
  const names = [...keys, ...columns]
  const listed = order === undefined ? names : [...names, order]
  const wanted = keys.map((_, at) => `$${at + 1}::text[]`).join(', ')
  return {
    // By name: with `*`, a column that a newer release adds would end the prepared statements of servers that run.
    list: `SELECT ${listed.join(', ')} FROM ${table} ORDER BY ${order ?? keys[0]} LIMIT $1`,
    deleteOthers: `
      DELETE FROM ${table} WHERE (${keys.map(key => `${key}::text`).join(', ')}) NOT IN (SELECT * FROM unnest(${wanted}))`,
    save: `
      INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})
      ON CONFLICT (${keys.join(', ')}) DO UPDATE SET
      ${columns.map(column => `${column} = excluded.${column}`).join(', ')}`,
  }
}

const SUBSCRIPTIONS = copiedTable('subscriptions', ['id'], ['owner_user_id', 'body', 'version'])
const USERS = copiedTable('users', ['id'], ['username', 'role', 'enabled', 'password_hash', 'created_at', 'updated_at'])
const TOKENS = copiedTable(
  'api_tokens',
  ['id'],
  ['user_id', 'digest', 'prefix', 'may', 'sources', 'name', 'expires_at', 'created_at', 'last_used_at'],
  'seq',
)
const CONSUMERS = copiedTable(
  'consumers',
  ['name'],
  [
    ...['owner_user_id', 'filters', 'checkpoint', 'read_to', 'epoch', 'fence', 'leased_until', 'acknowledged_at'],
    ...['failures', 'last_error', 'failed_at', 'created_at', 'updated_at'],
  ],
)
/** The database assigns their ids. */
const DEAD_LETTERS = copiedTable(
  'dead_letters',
  ['consumer', 'captured_us'],
  ['dedupe_key', 'error', 'attempts', 'failed_at', 'retrying'],
  'id',
)
const UNLIMITED = null

/** State of the ledger apart from its events, from one snapshot. */
export function readState(connection: Connection, deadLetters: number = COPY_LIMITS.deadLetters): Promise<LedgerState> {
  return connection.snapshot(async () => {
    const rows = (table: CopiedTable, limit: number | null = UNLIMITED) => connection.run(table.list, limit)
    const [closed] = await connection.run(CLOSED)
    return {
      closed: closed?.value === 'true',
      subscriptions: (await rows(SUBSCRIPTIONS)).map(readStoredSubscription),
      users: (await rows(USERS)).map(toUser),
      tokens: (await rows(TOKENS)).map(toToken),
      consumers: (await rows(CONSUMERS)).map(row => {
        const { dead_letters: _, retries: __, ...consumer } = toConsumer({ ...row, dead_letters: 0, retries: 0 })
        return consumer
      }),
      dead_letters: (await rows(DEAD_LETTERS, deadLetters)).map(row => ({
        consumer: String(row.consumer),
        ...toDeadLetter(row),
      })),
    }
  })
}

/** Replaces the given parts of the state. Lists that are absent stay as they are. */
export function writeState(connection: Connection, state: Partial<LedgerState>): Promise<void> {
  const { closed, subscriptions, users, tokens, consumers, dead_letters: letters } = state
  return connection.transaction(async () => {
    await connection.run(HOLD_VERSION)
    if (closed) await connection.run(MARK_CLOSED)
    if (subscriptions) {
      const ids = subscriptions.map(({ id }) => id)
      await connection.run(NOTE_DELETIONS, textArray(ids))
      const rows = subscriptions.map(one => [one.id, one.owner_user_id, JSON.stringify(one), 0])
      await replaceRows(connection, SUBSCRIPTIONS, { keys: 1, rows })
      await connection.run(FORGET_DELETIONS, textArray(ids))
      await announceChanges(connection, ids)
    }
    if (users) {
      const rows = users.map(one => [
        ...[one.id, one.username, one.role, one.enabled, one.password_hash, one.created_at, one.updated_at],
      ])
      await replaceRows(connection, USERS, { keys: 1, rows })
    }
    if (tokens) {
      const rows = tokens.map(one => [
        ...[one.id, one.user_id, one.digest, one.prefix, one.may, JSON.stringify(one.sources), one.name],
        ...[one.expires_at, one.created_at, one.last_used_at],
      ])
      await replaceRows(connection, TOKENS, { keys: 1, rows })
    }
    if (consumers) {
      const rows = consumers.map(one => [
        ...[one.name, one.owner_user_id, JSON.stringify(one.filters), one.checkpoint, one.checkpoint, one.epoch],
        ...[one.fence, one.leased_until, one.acknowledged_at, one.failures, one.last_error, one.failed_at],
        ...[one.created_at, one.updated_at],
      ])
      await replaceRows(connection, CONSUMERS, { keys: 1, rows })
    }
    if (letters) {
      const rows = letters.map(one => [
        ...[one.consumer, one.captured_at, one.dedupe_key, one.error, one.attempts, one.failed_at, one.retrying],
      ])
      await replaceRows(connection, DEAD_LETTERS, { keys: 2, rows })
    }
  })
}

/** Deletes other rows first: a new user may have the name of a deleted one. */
async function replaceRows(
  connection: Connection,
  { deleteOthers, save }: CopiedTable,
  { keys, rows }: { keys: number; rows: readonly Value[][] },
): Promise<void> {
  const lists = Array.from({ length: keys }, (_, at) => textArray(rows.map(row => String(row[at]))))
  await connection.run(deleteOthers, ...lists)
  for (const row of rows) await connection.run(save, ...row)
}
