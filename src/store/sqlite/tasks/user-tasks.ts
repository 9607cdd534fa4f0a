import type { AccountLogEntry } from '../../../model/accounts/account-log.js'
import { unknownUser } from '../../../model/accounts/user.js'
import { isAdmin, lastAdmin, nameTaken, toToken, toUser } from '../../rows/stored-user.js'
import type {
  LastAdminRule,
  ListedStoredUser,
  OwnedToken,
  StoredToken,
  StoredUser,
  UserChanges,
} from '../../user-store.js'
import type { Database } from '../files/database.js'
import { read, write } from '../thread/task.js'
import { addAccountLogEntry, listAccountLog } from './account-log.js'

const IS_CLOSED = /* sql */ `SELECT value FROM meta WHERE name = 'closed'`
const MARK_CLOSED = /* sql */ `UPDATE meta SET value = 1 WHERE name = 'closed'`

const USER = 'id, username, role, enabled, password_hash, created_at, updated_at'
const FIND = /* sql */ `SELECT ${USER} FROM users WHERE id = ?`
const FIND_BY_NAME = /* sql */ `SELECT ${USER} FROM users WHERE username = ?`
const LIST = /* sql */ `
  SELECT ${USER}, (SELECT count(*) FROM api_tokens WHERE user_id = users.id) AS token_count
  FROM users ORDER BY username`
const CREATE = /* sql */ `
  INSERT INTO users (${USER}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (username) DO NOTHING`
const UPDATE = /* sql */ `UPDATE users SET role = ?2, enabled = ?3, password_hash = ?4, updated_at = ?5 WHERE id = ?1`
const DELETE = /* sql */ `DELETE FROM users WHERE id = ?`
const HAS_OTHER_ADMIN = /* sql */ `SELECT 1 FROM users WHERE role = 'admin' AND enabled AND id <> ? LIMIT 1`

const TOKEN = 'id, user_id, digest, prefix, may, sources, name, expires_at, created_at, last_used_at'
const ADD_TOKEN = /* sql */ `INSERT INTO api_tokens (${TOKEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM api_tokens
  WHERE user_id = ?1 AND seq NOT IN (SELECT seq FROM api_tokens WHERE user_id = ?1 ORDER BY seq DESC LIMIT ?2)`
const FIND_BY_DIGEST = /* sql */ `
  SELECT users.id, username, role, enabled, password_hash, users.created_at, updated_at,
    token.id AS token_id, user_id, digest, prefix, may, sources, name, expires_at,
    token.created_at AS token_created_at, last_used_at
  FROM api_tokens AS token JOIN users ON users.id = user_id
  WHERE digest = ?`
const NOTE_USE = /* sql */ `UPDATE api_tokens SET last_used_at = ?2 WHERE id = ?1`
const LIST_TOKENS = /* sql */ `SELECT ${TOKEN} FROM api_tokens WHERE user_id = ? ORDER BY seq`
const DELETE_TOKEN = /* sql */ `DELETE FROM api_tokens WHERE user_id = ? AND id = ?`
const DELETE_TOKENS = /* sql */ `DELETE FROM api_tokens WHERE user_id = ?`

/** The methods of `UserStore`, in the order of the contract. */
export function userTasks(database: Database) {
  return {
    isClosed: read(() => isClosed(database)),
    markClosed: write(() => markClosed(database)),
    findById: read((id: string) => findUser(database, id)),
    findByUsername: read((username: string) => {
      const row = database.first(FIND_BY_NAME, username)
      return row && toUser(row)
    }),
    list: read((): ListedStoredUser[] => {
      return database.all(LIST).map(row => ({ ...toUser(row), token_count: Number(row.token_count) }))
    }),
    create: write((user: StoredUser, log?: AccountLogEntry) => {
      return createUser(database, user) ? logged(database, undefined, log) : nameTaken()
    }),
    update: write((id: string, sent: UserChanges, rule: LastAdminRule, log?: AccountLogEntry) => {
      const { replaces_hash, keeps_session: _, ...changes } = sent
      const before = findUser(database, id)
      if (!before || (replaces_hash ?? before.password_hash) !== before.password_hash) return undefined
      const after = { ...before, ...changes }
      if (isAdmin(before) && !isAdmin(after) && !mayLeave(database, id, rule)) return lastAdmin()
      database.run(UPDATE, id, after.role, after.enabled ? 1 : 0, after.password_hash, after.updated_at)
      return logged(database, after, log)
    }),
    delete: write((id: string, rule: LastAdminRule, log?: AccountLogEntry) => {
      const user = findUser(database, id)
      if (!user) return false
      if (isAdmin(user) && !mayLeave(database, id, rule)) return lastAdmin()
      database.run(DELETE_TOKENS, id)
      database.run(DELETE, id)
      return logged(database, true, log)
    }),
    /** The newest token is the one that was added last: a clock may step back. */
    addToken: write((token: StoredToken, keep: number, log?: AccountLogEntry) => {
      const { id, user_id, digest, prefix, may, sources, name, expires_at, created_at, last_used_at } = token
      if (!findUser(database, user_id)) return unknownUser()
      const terms = [may, JSON.stringify(sources), name, expires_at]
      database.run(ADD_TOKEN, id, user_id, digest, prefix, ...terms, created_at, last_used_at)
      database.run(DROP_OLDEST, user_id, keep)
      return logged(database, undefined, log)
    }),
    findByTokenDigest: read((digest: string): OwnedToken | undefined => {
      const row = database.first(FIND_BY_DIGEST, digest)
      if (!row) return undefined
      return { token: toToken({ ...row, id: row.token_id, created_at: row.token_created_at }), user: toUser(row) }
    }),
    noteTokenUse: write((id: string, at: string): void => void database.run(NOTE_USE, id, at)),
    listTokens: read((userId: string) => database.all(LIST_TOKENS, userId).map(toToken)),
    deleteToken: write((userId: string, id: string, log?: AccountLogEntry) => {
      return database.run(DELETE_TOKEN, userId, id) > 0 && logged(database, true, log)
    }),
    deleteTokens: write((userId: string, log?: AccountLogEntry) => {
      const count = database.run(DELETE_TOKENS, userId)
      return count > 0 ? logged(database, count, log) : 0
    }),
    addToLog: write((entry: AccountLogEntry) => addAccountLogEntry(database, entry)),
    listLog: read((limit: number) => listAccountLog(database, limit)),
  }
}

export type UserTasks = ReturnType<typeof userTasks>

export function findUser(database: Database, id: string): StoredUser | undefined {
  const row = database.first(FIND, id)
  return row && toUser(row)
}

/** Also closes the ledger. @returns false if the name is taken */
export function createUser(database: Database, user: StoredUser): boolean {
  const { id, username, role, enabled, password_hash, created_at, updated_at } = user
  const created = database.run(CREATE, id, username, role, enabled ? 1 : 0, password_hash, created_at, updated_at) > 0
  if (created) markClosed(database)
  return created
}

export function isClosed(database: Database): boolean {
  return database.first(IS_CLOSED)?.value === 1
}

export function markClosed(database: Database): void {
  database.run(MARK_CLOSED)
}

/** A change and its entry in the account log are in one transaction. */
function logged<Result>(database: Database, result: Result, log: AccountLogEntry | undefined): Result {
  if (log) addAccountLogEntry(database, log)
  return result
}

function mayLeave(database: Database, id: string, { mayLoseLastAdmin }: LastAdminRule): boolean {
  return mayLoseLastAdmin || database.first(HAS_OTHER_ADMIN, id) !== undefined
}
