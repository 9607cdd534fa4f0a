import type { AccountLogEntry } from '../model/accounts/account-log.js'
import type { ApiToken, Role, User } from '../model/accounts/user.js'

/** A user with what only the store may know of it. */
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

/** A token and the user it belongs to, enabled or not. */
export interface OwnedToken {
  token: StoredToken
  user: StoredUser
}

export interface UserChanges {
  role?: Role
  enabled?: boolean
  password_hash?: string
  /** UTC, six digits. */
  updated_at: string
}

export interface LastAdminRule {
  /** Whether somebody can still administer when no enabled admin is left: an admin token is configured. */
  mayLoseLastAdmin: boolean
}

/**
 * Rows of users and their API tokens. No row is kept in memory: what a request may do is read anew each time.
 * Names are compared without case (ASCII). Whatever depends on other rows is checked inside the transaction.
 * `log` is added to the account log in the same transaction, if the change is made.
 */
export interface UserStore {
  /** Whether a user or an admin token has ever existed here. Never false again. */
  isClosed(): Promise<boolean>
  /** From now on there is an admin token, or was one. */
  markClosed(): Promise<void>
  findById(id: string): Promise<StoredUser | undefined>
  findByUsername(username: string): Promise<StoredUser | undefined>
  /** By name. */
  list(): Promise<ListedStoredUser[]>
  /** Closes the ledger in the same transaction. @throws AppError `conflict/username_taken` */
  create(user: StoredUser, log?: AccountLogEntry): Promise<void>
  /**
   * @returns the user as it is then; `undefined` where there is none
   * @throws AppError `conflict/last_admin` when no enabled admin would be left
   */
  update(id: string, changes: UserChanges, rule: LastAdminRule, log?: AccountLogEntry): Promise<StoredUser | undefined>
  /** With its tokens; its subscriptions stay. @returns whether there was one @throws AppError `conflict/last_admin` */
  delete(id: string, rule: LastAdminRule, log?: AccountLogEntry): Promise<boolean>
  /** Keeps the newest `keep` tokens of the user, this one included. @throws AppError `not_found/not_found` without that user */
  addToken(token: StoredToken, keep: number, log?: AccountLogEntry): Promise<void>
  /** In one read. */
  findByTokenDigest(digest: string): Promise<OwnedToken | undefined>
  noteTokenUse(tokenId: string, at: string): Promise<void>
  /** Oldest first. */
  listTokens(userId: string): Promise<StoredToken[]>
  /** @returns whether there was one */
  deleteToken(userId: string, tokenId: string, log?: AccountLogEntry): Promise<boolean>
  /** @returns how many there were */
  deleteTokens(userId: string, log?: AccountLogEntry): Promise<number>
  /** Adds what changed nothing here, such as a login. The newest entries are kept. */
  addToLog(entry: AccountLogEntry): Promise<void>
  /** Newest first. */
  listLog(limit: number): Promise<AccountLogEntry[]>
}
