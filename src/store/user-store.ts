import type { AccountLogEntry } from '../model/accounts/account-log.js'
import type { ApiToken, Role, User } from '../model/accounts/user.js'

/** A user with its password hash, which never leaves the accounts. */
export interface StoredUser extends User {
  /** `pbkdf2_sha256$<iterations>$<salt_hex>$<digest_hex>` */
  password_hash: string
}

/** A user in the list of all. */
export interface ListedStoredUser extends StoredUser {
  /** How many API tokens it has. */
  token_count: number
}

export interface StoredToken extends ApiToken {
  user_id: string
  /** SHA-256 of the token as lower-case hex; unique. */
  digest: string
}

/** A token and its user, enabled or not. */
export interface OwnedToken {
  token: StoredToken
  user: StoredUser
}

export interface UserChanges {
  role?: Role
  enabled?: boolean
  password_hash?: string
  /** Makes the change only if this is the stored hash: otherwise another change took precedence. */
  replaces_hash?: string
  /** Id of the session that stays if the password changes. */
  keeps_session?: string | undefined
  /** UTC, six digits. */
  updated_at: string
}

export interface LastAdminRule {
  /** An admin token is configured: it can administer even without an enabled admin. */
  mayLoseLastAdmin: boolean
}

/**
 * Users, their API tokens and the account log. Every request reads its permissions from the store. Names are compared
 * without case (ASCII). Checks of other rows are inside the transaction. `log` is added to the account log in the same
 * transaction, if the change is made.
 */
export interface UserStore {
  /** Whether a user or an admin token exists or ever existed. Never false again. */
  isClosed(): Promise<boolean>
  /** Closes the ledger, because an admin token exists. */
  markClosed(): Promise<void>
  findById(id: string): Promise<StoredUser | undefined>
  findByUsername(username: string): Promise<StoredUser | undefined>
  /** By name. */
  list(): Promise<ListedStoredUser[]>
  /** Closes the ledger in the same transaction. @throws AppError `conflict/username_taken` */
  create(user: StoredUser, log?: AccountLogEntry): Promise<void>
  /**
   * If the password changes or the user is disabled, a store that keeps sessions ends those of the user in the same
   * transaction: a server that stops after it leaves none.
   *
   * @returns the changed user; `undefined` if it does not exist, or no longer has the hash `replaces_hash`
   * @throws AppError `conflict/last_admin` when no enabled admin would be left
   */
  update(id: string, changes: UserChanges, rule: LastAdminRule, log?: AccountLogEntry): Promise<StoredUser | undefined>
  /**
   * Deletes the user with its tokens; its subscriptions stay.
   *
   * @returns whether it existed
   * @throws AppError `conflict/last_admin`
   */
  delete(id: string, rule: LastAdminRule, log?: AccountLogEntry): Promise<boolean>
  /** Keeps the newest `keep` tokens of the user, this one included. @throws AppError `not_found/not_found` without that user */
  addToken(token: StoredToken, keep: number, log?: AccountLogEntry): Promise<void>
  /** Finds the token and its user in one read. */
  findByTokenDigest(digest: string): Promise<OwnedToken | undefined>
  noteTokenUse(tokenId: string, at: string): Promise<void>
  /** Oldest first. */
  listTokens(userId: string): Promise<StoredToken[]>
  /** @returns whether it existed */
  deleteToken(userId: string, tokenId: string, log?: AccountLogEntry): Promise<boolean>
  /** @returns how many there were */
  deleteTokens(userId: string, log?: AccountLogEntry): Promise<number>
  /** Adds an entry without a change, such as a login. The newest entries are kept. */
  addToLog(entry: AccountLogEntry): Promise<void>
  /** Newest first. */
  listLog(limit: number): Promise<AccountLogEntry[]>
}
