import type { Role } from '../../model/accounts/user.js'
import type {
  LastAdminRule,
  ListedStoredUser,
  OwnedToken,
  StoredToken,
  StoredUser,
  UserChanges,
} from '../user-store.js'
import type { Database, Row } from './database.js'

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

const TOKEN = 'id, user_id, digest, prefix, may, sources, created_at, last_used_at'
const ADD_TOKEN = /* sql */ `INSERT INTO api_tokens (${TOKEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM api_tokens
  WHERE user_id = ?1 AND seq NOT IN (SELECT seq FROM api_tokens WHERE user_id = ?1 ORDER BY seq DESC LIMIT ?2)`
const FIND_BY_DIGEST = /* sql */ `
  SELECT users.id, username, role, enabled, password_hash, users.created_at, updated_at,
    token.id AS token_id, user_id, digest, prefix, may, sources, token.created_at AS token_created_at, last_used_at
  FROM api_tokens AS token JOIN users ON users.id = user_id
  WHERE digest = ?`
const NOTE_USE = /* sql */ `UPDATE api_tokens SET last_used_at = ?2 WHERE id = ?1`
const LIST_TOKENS = /* sql */ `SELECT ${TOKEN} FROM api_tokens WHERE user_id = ? ORDER BY seq`
const DELETE_TOKEN = /* sql */ `DELETE FROM api_tokens WHERE user_id = ? AND id = ?`
const DELETE_TOKENS = /* sql */ `DELETE FROM api_tokens WHERE user_id = ?`

/*
 * What changes rows does so inside the caller's transaction, which it shares with other writers. So a refusal is a
 * result here, found before anything is changed: thrown, it would take what the others have written with it.
 */

/** What would leave nobody to administer the ledger. */
export type LastAdmin = 'last_admin'

export function isClosed(database: Database): boolean {
  return database.first(IS_CLOSED)?.value === 1
}

export function markClosed(database: Database): void {
  database.run(MARK_CLOSED)
}

export function findUser(database: Database, id: string): StoredUser | undefined {
  const row = database.first(FIND, id)
  return row && toUser(row)
}

export function findUserByName(database: Database, username: string): StoredUser | undefined {
  const row = database.first(FIND_BY_NAME, username)
  return row && toUser(row)
}

export function listUsers(database: Database): ListedStoredUser[] {
  return database.all(LIST).map(row => ({ ...toUser(row), token_count: Number(row.token_count) }))
}

/** @returns false where the name is taken */
export function createUser(database: Database, user: StoredUser): boolean {
  const { id, username, role, enabled, password_hash, created_at, updated_at } = user
  const created = database.run(CREATE, id, username, role, enabled ? 1 : 0, password_hash, created_at, updated_at) > 0
  if (created) markClosed(database)
  return created
}

/** @returns the user as it is then; `undefined` where there is none */
export function updateUser(
  database: Database,
  id: string,
  changes: UserChanges,
  rule: LastAdminRule,
): StoredUser | undefined | LastAdmin {
  const before = findUser(database, id)
  if (!before) return undefined
  const after = { ...before, ...changes }
  if (isAdmin(before) && !isAdmin(after) && !mayGo(database, id, rule)) return 'last_admin'
  database.run(UPDATE, id, after.role, after.enabled ? 1 : 0, after.password_hash, after.updated_at)
  return after
}

/** With its tokens. @returns whether there was one */
export function deleteUser(database: Database, id: string, rule: LastAdminRule): boolean | LastAdmin {
  const user = findUser(database, id)
  if (!user) return false
  if (isAdmin(user) && !mayGo(database, id, rule)) return 'last_admin'
  database.run(DELETE_TOKENS, id)
  database.run(DELETE, id)
  return true
}

/** Newest is what was added last, whatever the clock said. @returns false where there is no such user */
export function addToken(database: Database, token: StoredToken, keep: number): boolean {
  const { id, user_id, digest, prefix, may, sources, created_at, last_used_at } = token
  if (!findUser(database, user_id)) return false
  const rights = [may, JSON.stringify(sources)]
  database.run(ADD_TOKEN, id, user_id, digest, prefix, ...rights, created_at, last_used_at)
  database.run(DROP_OLDEST, user_id, keep)
  return true
}

export function findToken(database: Database, digest: string): OwnedToken | undefined {
  const row = database.first(FIND_BY_DIGEST, digest)
  if (!row) return undefined
  return { token: toToken({ ...row, id: row.token_id, created_at: row.token_created_at }), user: toUser(row) }
}

export function noteTokenUse(database: Database, id: string, at: string): void {
  database.run(NOTE_USE, id, at)
}

export function listTokens(database: Database, userId: string): StoredToken[] {
  return database.all(LIST_TOKENS, userId).map(toToken)
}

export function deleteToken(database: Database, userId: string, id: string): boolean {
  return database.run(DELETE_TOKEN, userId, id) > 0
}

/** @returns how many there were */
export function deleteTokens(database: Database, userId: string): number {
  return database.run(DELETE_TOKENS, userId)
}

function isAdmin({ role, enabled }: StoredUser): boolean {
  return role === 'admin' && enabled
}

function mayGo(database: Database, id: string, { mayLoseLastAdmin }: LastAdminRule): boolean {
  return mayLoseLastAdmin || database.first(HAS_OTHER_ADMIN, id) !== undefined
}

function toUser(row: Row): StoredUser {
  return {
    id: String(row.id),
    username: String(row.username),
    role: row.role as Role,
    enabled: row.enabled === 1,
    password_hash: String(row.password_hash),
    created_at: String(row.created_at),
    updated_at: String(row.updated_at),
  }
}

function toToken(row: Record<string, unknown>): StoredToken {
  return {
    id: String(row.id),
    user_id: String(row.user_id),
    digest: String(row.digest),
    prefix: String(row.prefix),
    may: row.may as StoredToken['may'],
    sources: JSON.parse(String(row.sources)),
    created_at: String(row.created_at),
    last_used_at: row.last_used_at === null ? null : String(row.last_used_at),
  }
}
