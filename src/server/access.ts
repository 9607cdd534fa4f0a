import type { Accounts } from '../accounts/accounts.js'
import { ANONYMOUS, BOOTSTRAP_ADMIN, type Identity, isAdmin, userOf } from '../accounts/identity.js'
import { directOrigin, isLoopbackHost, isSameOrigin } from '../login/origins.js'
import { safeEqual } from '../login/safe-equal.js'
import { AppError } from '../model/app-error.js'
import type { Access, HttpRequest as AnyRequest, Route } from './route.js'
import { readShownCredentials } from './shown-credentials.js'

type HttpRequest = AnyRequest<Identity>

export interface AccessParts {
  accounts: Pick<Accounts, 'identify' | 'isClosed'>
  /** Name of the session's cookie. */
  cookieName: string
  /** Origin of the address people use when a proxy stands in front, such as `https://events.example.org`. */
  publicOrigin?: string
  /** The open ledger may be reached under any name, not only this machine's own. */
  allowOpen: boolean
}

/**
 * Decides whether a request may use a route, and notes who sent it.
 *
 * @throws AppError `unauthenticated/unauthenticated`, `forbidden/…`: `local_only`, `host_not_allowed`,
 *   `origin_not_allowed`, `csrf_failed`, `forbidden`
 */
export type Authorise = (route: Pick<Route, 'access' | 'method'>, req: HttpRequest) => Promise<void>

interface AccessRule {
  /**
   * Whether somebody must be logged in: `unasked` costs nothing, as nobody is identified; `optional` lets everybody in;
   * `once_closed` is `optional` in a ledger that has no users and never had.
   */
  login: 'unasked' | 'optional' | 'once_closed' | 'always'
  /** Pages of another origin are refused. */
  ownOrigin: boolean
  /** Only an admin. */
  admin: boolean
}

const RULES: Record<Access, AccessRule> = {
  public: { login: 'unasked', ownOrigin: true, admin: false },
  anybody: { login: 'optional', ownOrigin: true, admin: false },
  deliver: { login: 'unasked', ownOrigin: false, admin: false },
  read: { login: 'once_closed', ownOrigin: true, admin: false },
  write: { login: 'once_closed', ownOrigin: true, admin: false },
  login: { login: 'unasked', ownOrigin: true, admin: false },
  logout: { login: 'always', ownOrigin: true, admin: false },
  account: { login: 'always', ownOrigin: true, admin: false },
  admin: { login: 'always', ownOrigin: true, admin: true },
  local: { login: 'always', ownOrigin: true, admin: true },
}

/**
 * The rules of access, in the order in which they are checked: where it may be called from, login, Origin, CSRF, role.
 *
 * A ledger without users is open to whoever can reach it, so pages of the web must be kept out. A page elsewhere
 * reaches us by a name of its own that resolves to this machine (its `Host` gives it away), or from its own origin
 * (`Origin`, `Sec-Fetch-Site`). Deliveries of events are outside the rule on origins: they must be JSON, or carry a
 * signature. Whoever comes over the owner's socket could read the files themselves, and is an admin.
 *
 * Source: decisions on identity, section 5; on security, sections 3 and 4.
 */
export function createAccess(parts: AccessParts): Authorise {
  const { accounts, cookieName, publicOrigin, allowOpen } = parts
  return async (route, req) => {
    if (req.local) {
      req.identity = BOOTSTRAP_ADMIN
      return
    }
    const rule = RULES[route.access]
    if (route.access === 'local') throw localOnly()
    if (!allowOpen && !isLoopbackHost(req.headers.host) && !(await accounts.isClosed())) throw hostNotAllowed()
    req.identity = rule.login === 'unasked' ? ANONYMOUS : await accounts.identify(readShownCredentials(req, cookieName))
    if (!isLoggedIn(req.identity, rule)) throw unauthenticated()
    const isCookieWrite = req.identity.kind === 'session' && route.method !== 'GET'
    if (rule.ownOrigin && !originAllowed(route, req, { publicOrigin, isCookieWrite })) throw originNotAllowed()
    if (isCookieWrite && !showsCsrfToken(req)) throw csrfFailed()
    if (rule.admin && !isAdmin(req.identity)) throw adminsOnly()
  }
}

function isLoggedIn(identity: Identity, { login }: AccessRule): boolean {
  if (login === 'unasked' || login === 'optional') return true
  if (identity.kind === 'open') return login === 'once_closed'
  return identity.kind === 'bootstrap_admin' || userOf(identity) !== undefined
}

/** A program sends no Origin, and needs none; but what comes by cookie must at least say which host it means. */
function originAllowed(
  route: Pick<Route, 'method'>,
  { headers }: HttpRequest,
  { publicOrigin, isCookieWrite }: { publicOrigin: string | undefined; isCookieWrite: boolean },
): boolean {
  const direct = directOrigin(headers.host)
  const own = [direct, publicOrigin].filter(origin => origin !== undefined)
  if (headers.origin === undefined ? isCookieWrite && !direct : !isSameOrigin(headers.origin, own)) return false
  return route.method === 'GET' || String(headers['sec-fetch-site']).toLowerCase() !== 'cross-site'
}

function showsCsrfToken({ identity, headers }: HttpRequest): boolean {
  const shown = headers['x-csrf-token']
  return identity.kind === 'session' && typeof shown === 'string' && safeEqual(identity.csrfToken, shown)
}

function localOnly(): AppError {
  return new AppError('forbidden', 'local_only', "Only commands on the ledger's own machine may do this.", {
    hint: 'They reach it through the socket beside the database.',
  })
}

function hostNotAllowed(): AppError {
  return new AppError(
    'forbidden',
    'host_not_allowed',
    'This ledger has no users yet, so it answers only under names of its own machine.',
    { hint: 'Call it as localhost, 127.0.0.1 or [::1].' },
  )
}

function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'unauthenticated', 'This needs a login.', {
    hint: 'Log in, or send a valid API token as Authorization: Bearer.',
  })
}

function originNotAllowed(): AppError {
  return new AppError('forbidden', 'origin_not_allowed', 'Pages of another origin may not use this API.', {
    hint: 'Open the page under the same address as the API, or set EVENT_PUBLIC_URL to the address it is served from.',
  })
}

function csrfFailed(): AppError {
  return new AppError('forbidden', 'csrf_failed', 'The CSRF token of this session is missing or wrong.', {
    hint: 'Send csrf_token of GET /api/session as X-CSRF-Token.',
  })
}

function adminsOnly(): AppError {
  return new AppError('forbidden', 'forbidden', 'Only an admin may do this.', { hint: 'Ask one.' })
}
