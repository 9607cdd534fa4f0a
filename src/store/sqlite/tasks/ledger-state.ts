import type { JSValue } from 'node-sqlite3-wasm'
import { COPY_LIMITS } from '../../../model/ledger-copy.js'
import type { LedgerState } from '../../copy-store.js'
import { toConsumer, toDeadLetter } from '../../rows/stored-consumer.js'
import { readStoredSubscription } from '../../rows/stored-subscription.js'
import { toToken, toUser } from '../../rows/stored-user.js'
import type { Database } from '../files/database.js'
import { isClosed, markClosed } from './user-tasks.js'

const SUBSCRIPTIONS = copiedTable('subscriptions', 'id', ['owner_user_id', 'body'])
const USERS = copiedTable('users', 'id', ['username', 'role', 'enabled', 'password_hash', 'created_at', 'updated_at'])
const TOKENS = copiedTable(
  'api_tokens',
  'id',
  ['user_id', 'digest', 'prefix', 'may', 'sources', 'name', 'expires_at', 'created_at', 'last_used_at'],
  'seq',
)
const CONSUMERS = copiedTable('consumers', 'name', [
  ...['owner_user_id', 'filters', 'checkpoint', 'read_to', 'epoch', 'fence', 'leased_until', 'acknowledged_at'],
  ...['failures', 'last_error', 'failed_at', 'created_at', 'updated_at'],
])
const DEAD_LETTERS = copiedTable('dead_letters', 'id', [
  ...['consumer', 'captured_us', 'dedupe_key', 'error', 'attempts', 'failed_at', 'retrying'],
])

/** A table that a follower copies from its leader. */
interface CopiedTable {
  list: string
  /** Deletes rows whose keys are not in the parameter, a list as JSON. */
  deleteOthers: string
  /** Changes only rows that differ. */
  save: string
}

function copiedTable(table: string, key: string, columns: readonly string[], order = key): CopiedTable {
  const names = columns.join(', ')
  const excluded = columns.map(column => `excluded.${column}`).join(', ')
  const values = columns.map(() => ', ?').join('')
  return {
    list: `SELECT ${key}, ${names} FROM ${table} ORDER BY ${order} LIMIT ?`,
    deleteOthers: `DELETE FROM ${table} WHERE ${key} NOT IN (SELECT value FROM json_each(?))`,
    save: `
      INSERT INTO ${table} (${key}, ${names}) VALUES (?${values})
      ON CONFLICT (${key}) DO UPDATE SET (${names}) = (${excluded})
      WHERE (${columns.map(column => `${table}.${column}`).join(', ')}) IS NOT (${excluded})`,
  }
}

const ALL = -1

/**
 * State of the ledger apart from its events. Rows of consumers have counts that are stored nowhere, so these are left
 * out.
 */
export function readState(database: Database, deadLetters: number = COPY_LIMITS.deadLetters): LedgerState {
  const rows = (table: CopiedTable, limit = ALL) => database.all(table.list, limit)
  return {
    closed: isClosed(database),
    subscriptions: rows(SUBSCRIPTIONS).map(readStoredSubscription),
    users: rows(USERS).map(toUser),
    tokens: rows(TOKENS).map(toToken),
    consumers: rows(CONSUMERS).map(row => {
      const { dead_letters: _, retries: __, ...consumer } = toConsumer({ ...row, dead_letters: 0, retries: 0 })
      return consumer
    }),
    dead_letters: rows(DEAD_LETTERS, deadLetters).map(row => ({
      consumer: String(row.consumer),
      ...toDeadLetter(row),
    })),
  }
}

/** Replaces the given parts of the state. A list that is not given stays as it is. */
export function writeState(database: Database, state: Partial<LedgerState>): void {
  const { closed, subscriptions, users, tokens, consumers, dead_letters } = state
  if (closed) markClosed(database)
  replaceRows(database, SUBSCRIPTIONS, subscriptions, one => [one.id, one.owner_user_id, JSON.stringify(one)])
  replaceRows(database, USERS, users, one => [
    ...[one.id, one.username, one.role, one.enabled ? 1 : 0, one.password_hash, one.created_at, one.updated_at],
  ])
  replaceRows(database, TOKENS, tokens, one => [
    ...[one.id, one.user_id, one.digest, one.prefix, one.may, JSON.stringify(one.sources), one.name, one.expires_at],
    ...[one.created_at, one.last_used_at],
  ])
  replaceRows(database, CONSUMERS, consumers, one => [
    ...[one.name, one.owner_user_id, JSON.stringify(one.filters), one.checkpoint, one.checkpoint, one.epoch],
    ...[one.fence, one.leased_until, one.acknowledged_at, one.failures, one.last_error, one.failed_at],
    ...[one.created_at, one.updated_at],
  ])
  replaceRows(database, DEAD_LETTERS, dead_letters, one => [
    ...[one.id, one.consumer, one.captured_at, one.dedupe_key, one.error, one.attempts, one.failed_at],
    one.retrying ? 1 : 0,
  ])
}

/** Deletes other rows first: a new user may have the name of a deleted one. */
function replaceRows<One>(
  database: Database,
  { deleteOthers, save }: CopiedTable,
  list: readonly One[] | undefined,
  toRow: (one: One) => JSValue[],
): void {
  if (!list) return
  const rows = list.map(toRow)
  database.run(deleteOthers, JSON.stringify(rows.map(([key]) => key)))
  for (const row of rows) database.run(save, ...row)
}
