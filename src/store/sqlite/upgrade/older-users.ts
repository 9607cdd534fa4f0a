import type { AccountLogEntry } from '../../../model/accounts/account-log.js'
import { PASSWORD_HASH_PATTERN, ROLES, type Role, USERNAME_PATTERN } from '../../../model/accounts/user.js'
import { isObject } from '../../../model/json-object.js'
import { readTimestamp } from '../../../model/timestamp.js'
import type { StoredToken, StoredUser } from '../../user-store.js'
import type { Database, Row } from '../files/database.js'
import { addAccountLogEntry } from '../tasks/account-log.js'
import { createUser, findUser } from '../tasks/user-tasks.js'

/** Why a row of an older table is not carried over: the end of a sentence. */
interface NotCarriedOver {
  reason: string
}

type Members = Record<string, unknown>

const ADD_TOKEN = /* sql */ `
  INSERT INTO api_tokens (id, user_id, digest, prefix, may, sources, created_at, last_used_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`

/**
 * Carries the users of an older ledger over with id, role, enabled state and password hash unchanged, and those of their
 * tokens whose SHA-256 digest is there. A row is read from its columns and from its JSON `body`, which takes precedence.
 * Rows that cannot be carried over stay in `older_…`, each with the reason in `not_carried_over`; an older table without
 * such rows is dropped.
 *
 * Nothing is guessed in favour of a user: a user with an unknown role or an unreadable enabled state is not carried over,
 * nor a token that was revoked, ends or is limited.
 *
 * @param tables existing older tables of users and of tokens
 * @param now UTC, six digits; for rows without the time of their creation
 *
 * Source: Event Ledger Service, "User" and "Storage".
 */
export function carryOverUsers(
  database: Database,
  tables: { users: readonly string[]; tokens: readonly string[] },
  now: string,
): void {
  for (const table of tables.users) {
    carryOver(database, table, (members, rowid) => {
      const user = readOlderUser(members, now)
      if ('reason' in user) return user
      if (findUser(database, user.id)) return { reason: 'a user of this id exists' }
      if (!createUser(database, user)) return { reason: 'a user of this name exists' }
      addAccountLogEntry(database, toLogEntry(user, now))
      const refused = tokensWithin(members, user.id).flatMap((token, at) => {
        return addToken(database, readOlderToken(token, `token_older_${table}_${rowid}_${at}`, now)) ?? []
      })
      const [first] = refused
      if (!first) return undefined
      return { reason: `the user was carried over, but ${refused.length} of its tokens not: ${first.reason}` }
    })
  }
  for (const table of tables.tokens) {
    carryOver(database, table, (members, rowid) =>
      addToken(database, readOlderToken(members, `token_older_${table}_${rowid}`, now)),
    )
  }
}

/** The table is copied first, so that every row has a rowid by which it can be deleted: an older table may have none. */
function carryOver(
  database: Database,
  table: string,
  carry: (members: Members, rowid: number) => NotCarriedOver | undefined,
): void {
  database.exec(`
    CREATE TABLE older_rows AS SELECT * FROM ${table};
    DROP TABLE ${table};
    ALTER TABLE older_rows RENAME TO ${table};
    ALTER TABLE ${table} ADD COLUMN not_carried_over TEXT`)
  for (const { older_rowid, not_carried_over: _, ...row } of database.all(
    `SELECT rowid AS older_rowid, * FROM ${table} ORDER BY rowid`,
  )) {
    const rowid = Number(older_rowid)
    const members = membersOf(row)
    const left = members ? carry(members, rowid) : { reason: 'its body is not a JSON object' }
    if (left) database.run(`UPDATE ${table} SET not_carried_over = ? WHERE rowid = ?`, left.reason, rowid)
    else database.run(`DELETE FROM ${table} WHERE rowid = ?`, rowid)
  }
  if (!database.first(`SELECT 1 FROM ${table} LIMIT 1`)) database.exec(`DROP TABLE ${table}`)
}

function membersOf(row: Row): Members | undefined {
  const columns = Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
  if (columns.body === undefined || columns.body === null) return columns
  try {
    const body: unknown = JSON.parse(String(columns.body))
    if (!isObject(body)) return undefined
    return { ...columns, ...body }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const USERNAME = new RegExp(USERNAME_PATTERN)
const PASSWORD_HASH = new RegExp(PASSWORD_HASH_PATTERN)
/** Members that, with any value, mean that a user should no longer log in. */
const ENDED = ['disabled', 'disabled_at', 'revoked', 'revoked_at', 'deleted', 'deleted_at', 'expires_at']
const ACTIVE = ['active', 'is_active']
const ID = /^[^\p{C}]{1,128}$/u

function readOlderUser(members: Members, now: string): StoredUser | NotCarriedOver {
  const username = textOf(members, 'username', 'name')
  if (username === undefined || !USERNAME.test(username)) return { reason: 'its name is not a valid username' }
  const id = textOf(members, 'id', 'user_id') ?? username
  if (!ID.test(id)) return { reason: 'its id is not 1 to 128 printable characters' }
  const password_hash = textOf(members, 'password_hash', 'password')
  if (password_hash === undefined || !PASSWORD_HASH.test(password_hash)) {
    return { reason: 'its password hash has another form than pbkdf2_sha256$iterations$salt$digest' }
  }
  const role = textOf(members, 'role') ?? 'member'
  if (!ROLES.includes(role as Role)) return { reason: 'its role is neither admin nor member' }
  const enabled = flagOf(members.enabled) ?? true
  if (enabled === 'unreadable') return { reason: 'its enabled state is neither true nor false' }
  if (ENDED.some(name => isSet(members[name])) || ACTIVE.some(name => flagOf(members[name] ?? true) !== true)) {
    return { reason: 'it was disabled, deleted or ends' }
  }
  const created_at = instantOf(members.created_at) ?? now
  const updated_at = instantOf(members.updated_at) ?? created_at
  return { id, username, role: role as Role, enabled, password_hash, created_at, updated_at }
}

/** Tokens that a user's row holds: a list of them, or the digest of one. */
function tokensWithin(members: Members, userId: string): Members[] {
  const lists = [members.tokens, members.api_tokens].filter(Array.isArray)
  const listed = lists.flat().map((token): Members => (isObject(token) ? token : { digest: token }))
  const digest = textOf(members, 'token_digest', 'token_hash', 'api_token_digest', 'api_token_hash')
  return [...listed, ...(digest === undefined ? [] : [{ digest }])].map(token => ({ ...token, user_id: userId }))
}

const DIGEST = /^(?:sha256[:$])?([0-9a-f]{64})$/i
/** Members that, with any value, mean that a token has fewer rights than one of ours. */
const LIMITS = ['revoked', 'revoked_at', 'disabled', 'expires_at', 'scope', 'scopes', 'permissions']

function readOlderToken(members: Members, otherwiseId: string, now: string): StoredToken | NotCarriedOver {
  const user_id = textOf(members, 'user_id', 'owner_user_id')
  const [, digest] =
    DIGEST.exec(textOf(members, 'digest', 'token_digest', 'token_hash', 'token_sha256', 'hash') ?? '') ?? []
  if (user_id === undefined) return { reason: 'it names no user' }
  if (digest === undefined) return { reason: 'it has no SHA-256 digest' }
  const isOn = flagOf(members.enabled) ?? true
  if (isOn !== true || LIMITS.some(name => isSet(members[name]))) {
    return { reason: 'it was revoked, ends or is limited' }
  }
  return {
    id: textOf(members, 'id', 'token_id') ?? otherwiseId,
    user_id,
    digest: digest.toLowerCase(),
    prefix: textOf(members, 'prefix', 'token_prefix') ?? 'tok_',
    may: 'all',
    sources: [],
    name: null,
    expires_at: null,
    created_at: instantOf(members.created_at) ?? now,
    last_used_at: instantOf(members.last_used_at) ?? null,
  }
}

function addToken(database: Database, token: StoredToken | NotCarriedOver): NotCarriedOver | undefined {
  if ('reason' in token) return token
  const { id, user_id, digest, prefix, may, sources, created_at, last_used_at } = token
  if (!findUser(database, user_id)) return { reason: 'its user was not carried over' }
  const rights = [may, JSON.stringify(sources)]
  const added = database.run(ADD_TOKEN, id, user_id, digest, prefix, ...rights, created_at, last_used_at) > 0
  return added ? undefined : { reason: 'a token of this id or digest exists' }
}

function toLogEntry({ id, username, role, enabled }: StoredUser, at: string): AccountLogEntry {
  return {
    at,
    action: 'ledger.user_created',
    by: { identity: 'older_ledger', user: null },
    user: { id, username },
    changes: {
      username: { from: null, to: username },
      role: { from: null, to: role },
      enabled: { from: null, to: enabled },
    },
    address: null,
    request_id: null,
  }
}

/** The first of these members that has a value, as text: an id may be a number. */
function textOf(members: Members, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = members[name]
    if (typeof value === 'number' || typeof value === 'bigint') return String(value)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function flagOf(value: unknown): boolean | 'unreadable' | undefined {
  if (value === undefined || value === null) return undefined
  if (['true', '1'].includes(String(value).toLowerCase())) return true
  return ['false', '0'].includes(String(value).toLowerCase()) ? false : 'unreadable'
}

function isSet(value: unknown): boolean {
  const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return !isEmpty && flagOf(value) !== false
}

function instantOf(value: unknown): string | undefined {
  try {
    return readTimestamp('', value).text
  } catch {
    return undefined // not an instant
  }
}
