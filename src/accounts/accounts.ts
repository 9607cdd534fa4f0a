import type { ApiToken, IssuedToken, ListedUser, Role, User } from '../model/user.js'
import type { Identity, ShownCredentials } from './identity.js'

export interface LoginAttempt {
  username: string
  password: string
  /** Address that the throttle counts for, as `toThrottleAddress` makes it. */
  address: string
  /** The session that this browser has had; a login replaces it. */
  replaces?: string
}

export interface StartedSession {
  /** Goes into the cookie, and nowhere else. */
  sessionToken: string
  identity: Extract<Identity, { kind: 'session' }>
}

/** Users, their tokens and sessions. */
export interface Accounts {
  /** Whether a login is needed: a user or an admin token exists, or ever did. */
  isClosed(): Promise<boolean>
  /**
   * Credential order: admin token, bearer token, session. A wrong one counts as absent. A user that is disabled or gone
   * is nobody; rights are read from the store each time.
   */
  identify(shown: ShownCredentials): Promise<Identity>
  /**
   * @throws AppError `unauthenticated/invalid_credentials` (one text for unknown, wrong and disabled, after the same
   *   work), `throttled/too_many_attempts`, `unavailable/busy`, `invalid/invalid_field` for a password over 1024 bytes
   */
  login(attempt: LoginAttempt): Promise<StartedSession>
  logout(sessionToken: string): Promise<void>
  listUsers(): Promise<ListedUser[]>
  /**
   * @param input a `NewUser` that nobody has checked yet
   * @throws AppError `invalid/invalid_field` with every field, `conflict/username_taken`, `unavailable/busy`
   */
  createUser(input: unknown): Promise<User>
  /**
   * Ends the user's sessions when it is disabled or its password changes; the one that asked for it is no exception.
   *
   * @param input a `ChangedUser` that nobody has checked yet
   * @throws AppError `invalid/invalid_field` with every field, `not_found/not_found`, `conflict/last_admin`,
   *   `unavailable/busy`
   */
  updateUser(id: string, input: unknown): Promise<User>
  /** Ends its sessions and tokens at once. @throws AppError `not_found/not_found`, `conflict/last_admin` */
  deleteUser(id: string): Promise<void>
  /** @throws AppError `not_found/not_found` */
  issueToken(userId: string): Promise<IssuedToken>
  /** @throws AppError `not_found/not_found` */
  listTokens(userId: string): Promise<ApiToken[]>
  /** @throws AppError `not_found/not_found` */
  revokeToken(userId: string, tokenId: string): Promise<void>
  /** All of them. @throws AppError `not_found/not_found` */
  revokeTokens(userId: string): Promise<void>
}

export interface NewUser {
  username: string
  password: string
  /** `member` when absent. */
  role?: Role
}

export interface ChangedUser {
  role?: Role
  enabled?: boolean
  password?: string
}
