import type { BoardAccess } from './access.js'
import type { BoardIdentity } from './identity.js'

/** What a request shows of itself; none of it believed yet. Header values as they were sent, each at most once. */
export interface RequestFacts {
  access: BoardAccess
  method: string
  /** It came over the owner's socket. */
  local: boolean
  host: string | undefined
  origin: string | undefined
  referer: string | undefined
  fetchSite: string | undefined
  /** Of `Authorization: Bearer`. */
  bearer: string | undefined
  boardToken: string | undefined
  csrfToken: string | undefined
  executorToken: string | undefined
  /** The whole `Cookie` header. */
  cookies: string | undefined
  /** Address that the throttle counts for. */
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
   * Lets a request through, or not. In the order of checks: host, login, Origin, CSRF, executor.
   *
   * @throws AppError `forbidden/local_only`, `forbidden/host_not_allowed`, `not_found/password_login_disabled`, `unauthenticated/unauthenticated`,
   *   `forbidden/origin_not_allowed`, `forbidden/csrf_failed`, `forbidden/executor_disabled`,
   *   `forbidden/executor_denied`, `throttled/too_many_attempts`, `unavailable/store_…`
   */
  admit(facts: RequestFacts): Promise<BoardIdentity>
  /** For what only turns out to need the executor's token once its body was read. @throws as `admit` */
  admitExecution(facts: Pick<RequestFacts, 'executorToken' | 'address'>): void
  authStatus(identity: BoardIdentity): AuthStatus
  /** The page at `/` asks for a password first. */
  asksPassword(identity: BoardIdentity): boolean
  /**
   * @param input the body of the login, which nobody has checked yet
   * @param shown the cookies that came with it: a live session among them is replaced
   * @throws AppError `invalid/invalid_field`, `unauthenticated/invalid_credentials`, `throttled/too_many_attempts`,
   *   `unavailable/capacity`, `unavailable/store_…`
   */
  login(input: unknown, shown: Pick<RequestFacts, 'cookies' | 'address'>): Promise<StartedBoardSession>
  /** Ends the session of the cookie, if it has one. @throws AppError `unavailable/store_…` */
  logout(shown: Pick<RequestFacts, 'cookies'>): Promise<void>
}
