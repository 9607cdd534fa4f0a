import type { BoardAccess } from './access.js'
import type { BoardIdentity } from './identity.js'

/** The relevant parts of a request, not verified yet. Header values as sent, each at most once. */
export interface RequestFacts {
  access: BoardAccess
  method: string
  /** The request came over the owner's socket. */
  local: boolean
  host: string | undefined
  origin: string | undefined
  referer: string | undefined
  fetchSite: string | undefined
  /** From `Authorization: Bearer`. */
  bearer: string | undefined
  boardToken: string | undefined
  csrfToken: string | undefined
  executorToken: string | undefined
  /** The whole `Cookie` header. */
  cookies: string | undefined
  /** The address that the throttle counts. */
  address: string
}

/** `GET /api/auth`. Source: Board Access Gate, "Auth status". */
export interface AuthStatus {
  enabled: boolean
  authenticated: boolean
  username_required: boolean
  api_token_enabled: boolean
}

export interface StartedBoardSession {
  /** Value of the cookie. */
  cookie: string
  csrfToken: string
}

/** The board access gate. Knows neither HTTP nor SQL. */
export interface Gate {
  /**
   * Ends expired sessions and sessions signed by previous keys. Call it before the first request.
   *
   * @throws AppError `unavailable/store_…`
   */
  keepOwnSessions(): Promise<void>
  /**
   * Admits a request or throws. Checks in this order: host, login, Origin, CSRF, executor.
   *
   * @throws AppError `forbidden/local_only`, `forbidden/host_not_allowed`, `not_found/password_login_disabled`, `unauthenticated/unauthenticated`,
   *   `forbidden/origin_not_allowed`, `forbidden/csrf_failed`, `forbidden/executor_disabled`,
   *   `forbidden/executor_denied`, `throttled/too_many_attempts` for a wrong key or token, `unavailable/store_…`
   */
  admit(facts: RequestFacts): Promise<BoardIdentity>
  /** For requests that turn out to need the executor's token only after their body is read. @throws as `admit` */
  admitExecution(facts: Pick<RequestFacts, 'executorToken' | 'address'>): Promise<void>
  /**
   * Whether a request carries the executor's token, where it is optional.
   *
   * @throws AppError `throttled/too_many_attempts` for a wrong one
   */
  provesExecution(facts: Pick<RequestFacts, 'executorToken' | 'address'>): Promise<boolean>
  authStatus(identity: BoardIdentity): AuthStatus
  /** Whether the page at `/` asks for a login first. */
  asksLogin(identity: BoardIdentity): boolean
  /**
   * @param input the body of the login, not validated yet
   * @param shown the cookies sent with it: a live session among them is replaced
   * @throws AppError `invalid/invalid_field`, `unauthenticated/invalid_credentials`, `throttled/too_many_attempts`,
   *   `unavailable/capacity`, `unavailable/busy`, `unavailable/store_…`
   */
  login(input: unknown, shown: Pick<RequestFacts, 'cookies' | 'address'>): Promise<StartedBoardSession>
  /**
   * Ends the session of the cookie, if any.
   *
   * @throws AppError `conflict/ledger_session` if the only one is of the ledger, `unavailable/store_…`
   */
  logout(shown: Pick<RequestFacts, 'cookies'>): Promise<void>
}
