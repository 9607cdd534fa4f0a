import type { AccountLogEntry } from '../model/accounts/account-log.js'
import type { ListedUser, Role, User } from '../model/accounts/user.js'
import type { Actor } from './account-log.js'
import type { UserTokens } from './api-tokens.js'
import type { Identity, ShownCredentials } from './identity.js'
import type { UserSessions } from './user-sessions.js'

export interface LoginAttempt {
  username: string
  password: string
  /** The address that the throttle counts, as a `ToAddress` returns it. */
  address: string
  /** The browser's previous session; a login replaces it. */
  replaces?: string
}

export interface OwnPasswordChange {
  user: User
  /** `current_password` and `password`, not validated yet. */
  input: unknown
  /** As for a login. */
  address: string
  /** Token of the session that asks. This session stays, and gets a new token. */
  session: string | undefined
}

export interface StartedSession {
  /** For the cookie only. */
  sessionToken: string
  identity: Extract<Identity, { kind: 'session' }>
}

/** Users, their tokens and sessions. The account log records every change with its actor `by`. */
export interface Accounts {
  /** Whether a login is needed: a user or admin token exists, or ever did. */
  isClosed(): Promise<boolean>
  /**
   * Precedence: admin token, bearer token, session. A wrong credential counts as absent. A disabled or deleted user is
   * anonymous; rights are read from the store each time.
   */
  identify(shown: ShownCredentials): Promise<Identity>
  /**
   * @throws AppError `unauthenticated/invalid_credentials` (same text and work for unknown, wrong and disabled),
   *   `throttled/too_many_attempts`, `unavailable/busy`, `invalid/invalid_field` for a password over 1024 bytes
   */
  login(attempt: LoginAttempt, by: Actor): Promise<StartedSession>
  logout(sessionToken: string): Promise<void>
  /** The minimum length of a new password, in bytes of UTF-8. */
  readonly passwordMinLength: number
  listUsers(): Promise<ListedUser[]>
  /**
   * @param input a `NewUser`, not validated yet
   * @throws AppError `invalid/invalid_field` with every field, `conflict/username_taken`, `unavailable/busy`
   */
  createUser(input: unknown, by: Actor): Promise<User>
  /**
   * Ends all sessions of the user if it is disabled or its password changes, including the caller's own.
   *
   * @param input a `ChangedUser`, not validated yet
   * @throws AppError `invalid/invalid_field` with every field, `not_found/not_found`, `conflict/last_admin`,
   *   `unavailable/busy`
   */
  updateUser(id: string, input: unknown, by: Actor): Promise<User>
  /**
   * Changes the password of the user who asks. The throttle of logins also counts wrong current passwords. Ends all
   * other sessions of the user.
   *
   * @returns the session that asked, with its new token; undefined if none asked, or it ended during the change
   * @throws AppError `invalid/invalid_field` with every field, `forbidden/wrong_password`,
   *   `throttled/too_many_attempts`, `unavailable/busy`
   */
  changeOwnPassword(change: OwnPasswordChange, by: Actor): Promise<StartedSession | undefined>
  /** Ends its sessions and tokens immediately. @throws AppError `not_found/not_found`, `conflict/last_admin` */
  deleteUser(id: string, by: Actor): Promise<void>
  /** The API tokens of users. */
  readonly tokens: UserTokens
  /** The browser sessions of users. */
  readonly sessions: Pick<UserSessions, 'list' | 'end' | 'endAll'>
  /** The account log, newest first. */
  listLog(limit: number): Promise<AccountLogEntry[]>
}

export interface NewUser {
  username: string
  password: string
  /** Default `member`. */
  role?: Role
}

export interface ChangedUser {
  role?: Role
  enabled?: boolean
  password?: string
}
