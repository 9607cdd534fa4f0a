import type { Accounts } from '../../accounts/accounts.js'
import {
  ANONYMOUS,
  BOOTSTRAP_ADMIN,
  type Identity,
  isAdmin,
  type ShownCredentials,
  userOf,
} from '../../accounts/identity.js'
import type { CredentialThrottle } from '../../login/credential-throttle.js'
import type { KnowsHost } from '../../login/known-hosts.js'
import { directOrigin, isLoopbackHost, isSameOrigin } from '../../login/origins.js'
import { safeEqual } from '../../login/safe-equal.js'
import { AppError } from '../../model/app-error.js'
import type { Access, HttpRequest as AnyRequest, Route } from '../http/route.js'
import { readCredentials } from '../request/credentials.js'

/** The parts of a request that the decision reads and sets. */
type HttpRequest = Pick<
  AnyRequest<Identity>,
  'headers' | 'socket' | 'local' | 'identity' | 'isAnonymous' | 'crossOrigin'
>

interface AccessParts {
  accounts: Pick<Accounts, 'identify' | 'isClosed'>
  /** Name of the session's cookie. */
  cookieName: string
  /** Origin of the public address behind a proxy, such as `https://events.example.org`. */
  publicOrigin?: string
  /** Whether an open ledger may be reached under any host name, not only this machine's own. */
  allowOpen: boolean
  /** Counts wrong API tokens and admin tokens. */
  credentialThrottle: CredentialThrottle
  /** The address that wrong tokens are counted for. */
  addressOf: (req: Pick<AnyRequest, 'headers' | 'socket'>) => string
  /** `tokens`: callers without credentials record nothing. */
  writers: Writers
  /** The configured host names of the ledger. Absent: the ledger answers under every name. */
  knowsHost?: KnowsHost
}

export type Writers = 'anyone' | 'tokens'

/**
 * Decides whether a request may use a route, and sets its identity.
 *
 * @throws AppError `unauthenticated/unauthenticated`, `misdirected/bad_host`, `forbidden/…`: `local_only`,
 *   `host_not_allowed`, `origin_not_allowed`, `csrf_failed`, `forbidden`, `token_required`; `throttled/too_many_attempts` for a wrong token
 */
export type Authorise = (route: Pick<Route, 'access' | 'method'>, req: HttpRequest) => Promise<void>

interface AccessRule {
  /**
   * Whether the caller must be logged in. `unasked`: the caller is not identified; `optional`: every caller is admitted;
   * `once_closed`: as `optional` while the ledger has no users and never had any.
   */
  login: 'unasked' | 'optional' | 'once_closed' | 'always'
  /** Pages of another origin are refused. */
  ownOrigin: boolean
  /** Only an admin. */
  admin: boolean
}

const RULES: Record<Access, AccessRule> = {
  public: { login: 'unasked', ownOrigin: true, admin: false },
  optional_login: { login: 'optional', ownOrigin: true, admin: false },
  record: { login: 'optional', ownOrigin: true, admin: false },
  webhook: { login: 'unasked', ownOrigin: false, admin: false },
  read: { login: 'once_closed', ownOrigin: true, admin: false },
  write: { login: 'once_closed', ownOrigin: true, admin: false },
  login: { login: 'unasked', ownOrigin: true, admin: false },
  logout: { login: 'always', ownOrigin: true, admin: false },
  account: { login: 'always', ownOrigin: true, admin: false },
  admin: { login: 'always', ownOrigin: true, admin: true },
  copy: { login: 'always', ownOrigin: true, admin: true },
  local: { login: 'always', ownOrigin: true, admin: true },
}

/** The routes that identify their callers and admit a read-only token. */
const FOR_READERS: ReadonlySet<Access> = new Set(['optional_login', 'read'])

/**
 * The rules of access, in the order of the checks: host, login, Origin, CSRF token, role.
 *
 * A ledger without users is open to every caller that can reach it, so foreign pages must be kept out. A foreign page
 * calls by its own host name that resolves to this machine (its `Host` exposes it), or from its own origin (`Origin`,
 * `Sec-Fetch-Site`). The rule on origins does not apply to webhooks whose deliveries must prove themselves (for others,
 * see `createPageCheck`), nor to pages of listed origins (`CrossOrigin`), whose cookies do not count. Requests over the
 * owner's socket come from an admin: a process that may open the socket could also read the files.
 *
 * A closed ledger with configured host names answers only under these. Otherwise a foreign page could use its own host
 * name to reach a ledger in a private network.
 *
 * Source: decisions on identity, section 5; on security, sections 3 and 4.
 */
export function createAccess(parts: AccessParts): Authorise {
  const { accounts, cookieName, publicOrigin, allowOpen, knowsHost, credentialThrottle, addressOf, writers } = parts
  const identify = async (req: HttpRequest, shown: ShownCredentials) => {
    const identity = await accounts.identify(shown)
    if (showsWrongToken(shown, identity)) credentialThrottle.failed(addressOf(req))
    return identity
  }

  return async (route, req) => {
    if (req.local) {
      req.identity = BOOTSTRAP_ADMIN
      return
    }
    const rule = RULES[route.access]
    if (route.access === 'local') throw localOnly()
    if (!allowOpen && !isLoopbackHost(req.headers.host) && !(await accounts.isClosed())) throw hostNotAllowed()
    if (knowsHost && !knowsHost(req.headers.host, req.socket.localAddress)) throw unknownHost()
    const credentials = readCredentials(req, cookieName)
    const isCrossOrigin = req.crossOrigin !== undefined
    const shown = isCrossOrigin ? { ...credentials, session: undefined } : credentials
    req.identity = rule.login === 'unasked' ? ANONYMOUS : await identify(req, shown)
    if (req.identity.kind === 'writer' && rule.login !== 'optional') throw recordsOnly()
    if (req.identity.kind === 'reader' && !FOR_READERS.has(route.access)) throw readsOnly()
    req.isAnonymous = req.identity.kind === 'anonymous' || req.identity.kind === 'open'
    if (!isLoggedIn(req.identity, rule)) throw unauthenticated(req.identity)
    const isCookieWrite = req.identity.kind === 'session' && route.method !== 'GET'
    if (rule.ownOrigin && !isCrossOrigin && !originAllowed(route, req, { publicOrigin, isCookieWrite }))
      throw originNotAllowed()
    if (route.access === 'record') return restrictRecording(req, { shown, writers })
    if (isCookieWrite && !showsCsrfToken(req)) throw csrfFailed()
    if (rule.admin && !isAdmin(req.identity)) throw adminsOnly()
    if (route.access === 'copy' && req.identity.kind === 'session') throw tokenRequired()
  }
}

/** A wrong token does not admit its caller, but another credential in the same request may. */
function showsWrongToken({ bearer, adminToken }: ShownCredentials, { kind }: Identity): boolean {
  return kind === 'anonymous' && (bearer ?? adminToken) !== undefined
}

/**
 * Events may be recorded without a login. A session without its CSRF token counts as no login: the browser sends its cookie
 * with every request of any page. An invalid token is refused: otherwise the events of a program whose token was revoked
 * would be recorded as those of a caller without credentials, and its owner would not notice.
 */
function restrictRecording(req: HttpRequest, { shown, writers }: { shown: ShownCredentials; writers: Writers }): void {
  if (req.identity.kind === 'session' && !showsCsrfToken(req)) {
    req.identity = ANONYMOUS
    req.isAnonymous = true
  }
  const { kind } = req.identity
  const showsToken = shown.adminToken !== undefined || showsBearer(req)
  if (kind === 'anonymous' && showsToken) throw unauthenticated(req.identity)
  if (writers === 'tokens' && (kind === 'anonymous' || kind === 'open')) throw unauthenticated(req.identity)
}

/**
 * Refuses a delivery from a page of another origin. For webhooks without a secret: a page can send them a form or plain text
 * without a preflight, and no platform sends an `Origin`.
 *
 * @throws AppError `forbidden/origin_not_allowed`
 *
 * Source: decisions on security, section 3, "Origin on L".
 */
export function createPageCheck(publicOrigin: string | undefined): (req: AnyRequest) => void {
  return req => {
    // A page of a listed origin may use the routes for which the router recognises it; webhooks are not among them.
    if (req.local || req.crossOrigin !== undefined) return
    if (!originAllowed({ method: 'POST' }, req, { publicOrigin, isCookieWrite: false })) throw originNotAllowed()
  }
}

/** Whether there is an `Authorization`, even without scheme or token. `Basic` does not count: it is for a proxy. */
function showsBearer({ headers }: HttpRequest): boolean {
  return headers.authorization !== undefined && !headers.authorization.toLowerCase().startsWith('basic ')
}

function isLoggedIn(identity: Identity, { login }: AccessRule): boolean {
  if (login === 'unasked' || login === 'optional') return true
  if (identity.kind === 'open') return login === 'once_closed'
  return identity.kind === 'bootstrap_admin' || userOf(identity) !== undefined
}

/** Programs send no Origin and need none, but a request with a cookie needs at least a valid `Host`. */
function originAllowed(
  route: Pick<Route, 'method'>,
  { headers }: Pick<AnyRequest, 'headers'>,
  { publicOrigin, isCookieWrite }: { publicOrigin: string | undefined; isCookieWrite: boolean },
): boolean {
  const { host, origin } = headers
  if (origin === undefined) {
    if (isCookieWrite && !directOrigin(host)) return false
  } else if (!isSameOrigin(origin, [directOrigin(host), publicOrigin])) return false
  return route.method === 'GET' || String(headers['sec-fetch-site']).toLowerCase() !== 'cross-site'
}

function showsCsrfToken({ identity, headers }: HttpRequest): boolean {
  const shown = headers['x-csrf-token']
  return identity.kind === 'session' && typeof shown === 'string' && safeEqual(identity.csrfToken, shown)
}

function localOnly(): AppError {
  return new AppError('forbidden', 'local_only', "Only commands on the ledger's own machine may do this.", {
    hint: 'They reach it through the socket next to the database.',
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

function unknownHost(): AppError {
  return new AppError('misdirected', 'bad_host', 'This ledger does not answer under the host name of this request.', {
    hint: 'Call it by the name in EVENT_PUBLIC_URL, or add the name to EVENT_ALLOWED_HOSTS.',
  })
}

function unauthenticated({ kind }: Pick<Identity, 'kind'>): AppError {
  const hint =
    kind === 'open'
      ? 'This ledger has no users yet: create the first one with "daybook users create".'
      : 'Log in, or send a valid API token as Authorization: Bearer.'
  return new AppError('unauthenticated', 'unauthenticated', 'This needs a login.', { hint })
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

function recordsOnly(): AppError {
  return new AppError('forbidden', 'forbidden', 'This token may record events, and nothing else.', {
    hint: 'Use a token that was issued without "may": "write".',
  })
}

function readsOnly(): AppError {
  return new AppError('forbidden', 'forbidden', 'This token may read, and nothing else.', {
    hint: 'Use a token that was issued without "may": "read".',
  })
}

function tokenRequired(): AppError {
  const detail = 'A copy of the ledger contains digests of passwords, so a browser session is not enough for it.'
  return new AppError('forbidden', 'token_required', detail, {
    hint: 'Use the admin token, or an API token of an admin.',
  })
}

function adminsOnly(): AppError {
  return new AppError('forbidden', 'forbidden', 'Only an admin may do this.', { hint: 'Ask an administrator.' })
}
