import type { AccountLogEntry } from '../../../model/accounts/account-log.js'
import { unknownUser } from '../../../model/accounts/user.js'
import { coalesceCalls } from '../../../model/coalesce-calls.js'
import { isAdmin, lastAdmin, nameTaken, toToken, toUser } from '../../rows/stored-user.js'
import type { LastAdminRule, StoredUser, UserStore } from '../../user-store.js'
import type { Connection, Row } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'
import { READ_STATE, refuseMoved } from '../write/refuse-unwritable.js'
import { addAccountLogEntry, listAccountLog } from './account-log.js'
import { endSessionsOf } from './ledger-sessions.js'

const IS_CLOSED = /* sql */ `SELECT value FROM meta WHERE name = 'closed'`
export const MARK_CLOSED = /* sql */ `UPDATE meta SET value = 'true' WHERE name = 'closed' AND value <> 'true'`

/** As the creation of a user does, which also closes the ledger. */
const HOLD_USERS = /* sql */ `LOCK TABLE users IN ROW EXCLUSIVE MODE`

const USER = 'id, username, role, enabled, password_hash, created_at, updated_at'
const FIND = /* sql */ `SELECT ${USER} FROM users WHERE id = $1`
const HOLD = /* sql */ `SELECT ${USER} FROM users WHERE id = $1 FOR UPDATE`
const FIND_BY_NAME = /* sql */ `SELECT ${USER} FROM users WHERE lower(username) = lower($1 COLLATE "C")`
const LIST = /* sql */ `
  SELECT ${USER}, (SELECT count(*) FROM api_tokens WHERE user_id = users.id) AS token_count
  FROM users ORDER BY lower(username)`
const CREATE = /* sql */ `
  INSERT INTO users (${USER}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (lower(username)) DO NOTHING RETURNING id`
const UPDATE = /* sql */ `
  UPDATE users SET role = $2, enabled = $3, password_hash = $4, updated_at = $5 WHERE id = $1`
const DELETE = /* sql */ `DELETE FROM users WHERE id = $1`
/**
 * Changes of users run one after the other: two of them could leave no administrator. With locks on the rows of the
 * administrators, changes that begin while one is appointed could wait for each other.
 */
const HOLD_CHANGES = /* sql */ `LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`
const LIST_ADMINS = /* sql */ `SELECT id FROM users WHERE role = 'admin' AND enabled`

const TOKEN = 'id, user_id, digest, prefix, may, sources, name, expires_at, created_at, last_used_at'
const ADD_TOKEN = /* sql */ `
  INSERT INTO api_tokens (${TOKEN}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM api_tokens
  WHERE user_id = $1 AND seq NOT IN (SELECT seq FROM api_tokens WHERE user_id = $1 ORDER BY seq DESC LIMIT $2)`
const FIND_BY_DIGEST = /* sql */ `
  SELECT users.id, username, role, enabled, password_hash, users.created_at, updated_at,
    token.id AS token_id, user_id, digest, prefix, may, sources, name, expires_at,
    token.created_at AS token_created_at, last_used_at
  FROM api_tokens AS token JOIN users ON users.id = user_id
  WHERE digest = $1`
const NOTE_USE = /* sql */ `UPDATE api_tokens SET last_used_at = $2 WHERE id = $1`
const LIST_TOKENS = /* sql */ `SELECT ${TOKEN} FROM api_tokens WHERE user_id = $1 ORDER BY seq`
const DELETE_TOKEN = /* sql */ `DELETE FROM api_tokens WHERE user_id = $1 AND id = $2 RETURNING id`
const DELETE_TOKENS = /* sql */ `DELETE FROM api_tokens WHERE user_id = $1 RETURNING id`

/**
 * Users in PostgreSQL. Every answer is the committed state at the start of the call, also after changes by other
 * servers.
 */
export function userTasks(pool: Pool): UserStore {
  /** Each request of an open ledger asks: concurrent requests share a reading that begins after all of them. */
  const readClosed = coalesceCalls(async () => (await pool.run(IS_CLOSED))[0]?.value === 'true')
  let isClosed = false
  return {
    isClosed: async () => {
      // A closed ledger never opens again.
      isClosed ||= await readClosed()
      return isClosed
    },
    markClosed: () =>
      pool.transaction(async connection => {
        await connection.run(HOLD_USERS)
        await refuseIfMoved(connection)
        await connection.run(MARK_CLOSED)
      }),
    findById: async id => (isStorable(id) ? findUser(await pool.run(FIND, id)) : undefined),
    findByUsername: async name => (isStorable(name) ? findUser(await pool.run(FIND_BY_NAME, name)) : undefined),
    list: async () => (await pool.run(LIST)).map(row => ({ ...toUser(row), token_count: Number(row.token_count) })),
    create: (user, log) =>
      pool.transaction(async connection => {
        const { id, username, role, enabled, password_hash, created_at, updated_at } = user
        const values = [id, username, role, enabled, password_hash, created_at, updated_at] as const
        const created = await connection.run(CREATE, ...values)
        await refuseIfMoved(connection)
        if (created.length === 0) throw nameTaken()
        await connection.run(MARK_CLOSED)
        await addLog(connection, log)
      }),
    update: (id, sent, rule, log) =>
      pool.transaction(async connection => {
        if (!isStorable(id)) return undefined
        const { replaces_hash, keeps_session, ...changes } = sent
        const admins = await holdAdmins(connection)
        const before = findUser(await connection.run(HOLD, id))
        if (!before || (replaces_hash ?? before.password_hash) !== before.password_hash) return undefined
        const after = { ...before, ...changes }
        if (isAdmin(before) && !isAdmin(after) && !mayLeave(admins, id, rule)) throw lastAdmin()
        await connection.run(UPDATE, id, after.role, after.enabled, after.password_hash, after.updated_at)
        await addLog(connection, log)
        if (after.password_hash !== before.password_hash || !after.enabled)
          await endSessionsOf(connection, id, keeps_session)
        return after
      }),
    delete: (id, rule, log) =>
      pool.transaction(async connection => {
        if (!isStorable(id)) return false
        const admins = await holdAdmins(connection)
        const user = findUser(await connection.run(HOLD, id))
        if (!user) return false
        if (isAdmin(user) && !mayLeave(admins, id, rule)) throw lastAdmin()
        await connection.run(DELETE_TOKENS, id)
        await connection.run(DELETE, id)
        await addLog(connection, log)
        return true
      }),
    /** The newest token is the one that was added last: a clock may step back. */
    addToken: (token, keep, log) =>
      pool.transaction(async connection => {
        const { id, user_id, digest, prefix, may, sources, name, expires_at, created_at, last_used_at } = token
        if (!isStorable(user_id)) throw unknownUser()
        const user = findUser(await connection.run(HOLD, user_id))
        await refuseIfMoved(connection)
        if (!user) throw unknownUser()
        const terms = [may, JSON.stringify(sources), name, expires_at]
        await connection.run(ADD_TOKEN, id, user_id, digest, prefix, ...terms, created_at, last_used_at)
        await connection.run(DROP_OLDEST, user_id, keep)
        await addLog(connection, log)
      }),
    findByTokenDigest: async digest => {
      const [row] = isStorable(digest) ? await pool.run(FIND_BY_DIGEST, digest) : []
      if (!row) return undefined
      return { token: toToken({ ...row, id: row.token_id, created_at: row.token_created_at }), user: toUser(row) }
    },
    noteTokenUse: (id, at) =>
      pool.transaction(async connection => {
        await connection.run(NOTE_USE, id, at)
        await refuseIfMoved(connection)
      }),
    listTokens: async userId => (isStorable(userId) ? (await pool.run(LIST_TOKENS, userId)).map(toToken) : []),
    deleteToken: (userId, id, log) => remove(pool, [userId, id], DELETE_TOKEN, log).then(count => count > 0),
    deleteTokens: (userId, log) => remove(pool, [userId], DELETE_TOKENS, log),
    addToLog: entry => pool.transaction(connection => addAccountLogEntry(connection, entry)),
    listLog: limit => listAccountLog(pool, limit),
  }
}

/** @returns how many rows there were */
async function remove(pool: Pool, keys: string[], sql: string, log: AccountLogEntry | undefined): Promise<number> {
  if (!keys.every(isStorable)) return 0
  return pool.transaction(async connection => {
    const { length } = await connection.run(sql, ...keys)
    await refuseIfMoved(connection)
    if (length > 0) await addLog(connection, log)
    return length
  })
}

async function holdAdmins(connection: Connection): Promise<Row[]> {
  await connection.run(HOLD_CHANGES)
  await refuseIfMoved(connection)
  return connection.run(LIST_ADMINS)
}

/** Call it after the first statement of a change, which locks its table. */
async function refuseIfMoved(connection: Connection): Promise<void> {
  refuseMoved((await connection.run(READ_STATE))[0])
}

/** A change and its entry in the account log are in one transaction. */
async function addLog(connection: Connection, log: AccountLogEntry | undefined): Promise<void> {
  if (log) await addAccountLogEntry(connection, log)
}

function mayLeave(admins: readonly Row[], id: string, { mayLoseLastAdmin }: LastAdminRule): boolean {
  return mayLoseLastAdmin || admins.some(row => row.id !== id)
}

function findUser([row]: readonly Row[]): StoredUser | undefined {
  return row && toUser(row)
}
