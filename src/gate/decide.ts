import { directOrigin, isLoopbackHost, isSameOrigin } from '../login/origins.js'
import { parseUrl } from '../model/parse-url.js'
import type { BoardAccess } from './access.js'
import type { RequestFacts } from './gate.js'
import { ANONYMOUS, type BoardIdentity } from './identity.js'

/** Which credentials the board accepts. With none, everyone who can reach the board may use it. */
interface AccessMode {
  hasPassword: boolean
  hasKey: boolean
  /** Sessions of the ledger count. */
  hasLedgerLogin: boolean
}

export interface GateRules extends AccessMode {
  /** A further origin of ours, in addition to the directly requested one. */
  serviceOrigin?: string
}

/** Result of checking the executor's token in a request. `unset`: none is configured. */
export type ExecutorProof = 'unset' | 'missing' | 'wrong' | 'right'

/** A request whose credentials have been checked. */
export interface ResolvedRequest
  extends Pick<RequestFacts, 'access' | 'method' | 'local' | 'host' | 'origin' | 'referer' | 'fetchSite'> {
  /** The request has the API key, in either of its two headers. */
  showsKey: boolean
  /** The live session of its cookie. */
  session: { csrfToken: string; ledgerUser?: string | undefined } | undefined
  /** The request has the CSRF token of that session. */
  showsCsrfToken: boolean
  executor: ExecutorProof
}

const REFUSALS = [
  'local_only',
  'host_not_allowed',
  'password_login_disabled',
  'unauthenticated',
  'origin_not_allowed',
  'csrf_failed',
  'executor_disabled',
  'executor_denied',
] as const
export type Refusal = (typeof REFUSALS)[number]

export type Decision = { identity: BoardIdentity; refusal?: undefined } | { identity?: undefined; refusal: Refusal }

interface AccessRule {
  /**
   * `unasked`: the caller is not identified; `optional`: everyone is admitted; `needed`: anonymous callers are refused.
   */
  identity: 'unasked' | 'optional' | 'needed'
  /** Requires the executor's token as well. */
  executes: boolean
}

const RULES: Record<BoardAccess, AccessRule> = {
  public: { identity: 'unasked', executes: false },
  optional_login: { identity: 'optional', executes: false },
  login: { identity: 'optional', executes: false },
  logout: { identity: 'needed', executes: false },
  api: { identity: 'needed', executes: false },
  execute: { identity: 'needed', executes: true },
  local: { identity: 'needed', executes: false },
}

/**
 * Decides whether a request may use its route, and who sent it. Checks in this order: transport, host, whether there is
 * a login at all, identity, Origin, CSRF token, executor's token.
 *
 * A foreign page cannot make a browser send the key or use the owner's socket, so these need neither Origin nor CSRF
 * token. A cookie needs both. A browser that sends `Sec-Fetch-Site: cross-site` is refused on every unsafe method, with
 * or without credentials. An open board can be reached by every page on this machine, and by foreign pages whose host
 * name resolves to it: the `Host` exposes the latter, and the `Origin` the former.
 *
 * Source: Board Access Gate, "Authentication"; decisions on identity, section 5; on security, 0.5 to 0.7, 0.15, 0.17.
 */
export function decide(request: ResolvedRequest, rules: GateRules): Decision {
  const { access, local } = request
  const rule = RULES[access]
  if (!local) {
    if (access === 'local') return { refusal: 'local_only' }
    if (isOpen(rules) && !isLoopbackHost(request.host)) return { refusal: 'host_not_allowed' }
    if (access === 'login' && !rules.hasPassword) return { refusal: 'password_login_disabled' }
  }
  const identity = rule.identity === 'unasked' && !local ? ANONYMOUS : identify(request, rules)
  if (rule.identity === 'needed' && identity.kind === 'anonymous') return { refusal: 'unauthenticated' }
  const isCookieWrite = identity.kind === 'session' && !request.showsKey && isUnsafe(request.method)
  if (!local && !originFits(request, rules, isCookieWrite)) return { refusal: 'origin_not_allowed' }
  if (isCookieWrite && !request.showsCsrfToken) return { refusal: 'csrf_failed' }
  const refusal = rule.executes ? refuseExecution(request.executor) : undefined
  return refusal === undefined ? { identity } : { refusal }
}

/** Required from every caller, including the owner of the files. */
export function refuseExecution(proof: ExecutorProof): Refusal | undefined {
  if (proof === 'right') return undefined
  return proof === 'unset' ? 'executor_disabled' : 'executor_denied'
}

export function isOpen({ hasPassword, hasKey, hasLedgerLogin }: AccessMode): boolean {
  return !hasPassword && !hasKey && !hasLedgerLogin
}

/**
 * The key takes precedence over the session and its rules. Only if everyone is admitted, the session comes first,
 * because the response describes it.
 */
function identify({ access, local, showsKey, session }: ResolvedRequest, rules: GateRules): BoardIdentity {
  if (local) return { kind: 'owner' }
  if (isOpen(rules)) return { kind: 'local' }
  const byKey: BoardIdentity | undefined = rules.hasKey && showsKey ? { kind: 'key' } : undefined
  // Without a password no login is possible here, so existing sessions of the board no longer count.
  const isValid = session && (session.ledgerUser === undefined ? rules.hasPassword : rules.hasLedgerLogin)
  const bySession: BoardIdentity | undefined = isValid ? { kind: 'session', ...session } : undefined
  return (access === 'optional_login' ? (bySession ?? byKey) : (byKey ?? bySession)) ?? ANONYMOUS
}

function originFits(request: ResolvedRequest, rules: GateRules, isCookieWrite: boolean): boolean {
  const { access, method, origin, fetchSite } = request
  if (isUnsafe(method) && fetchSite?.toLowerCase() === 'cross-site') return false
  if (isCookieWrite) return isSameOrigin(origin, ownOrigins(request, rules))
  if (access !== 'login' && !isOpen(rules)) return true
  if (origin !== undefined) return isSameOrigin(origin, ownOrigins(request, rules))
  if (access === 'login') return !isSentElsewhere(request, rules)
  return !isUnsafe(method) || !isOfOtherSite(request.fetchSite)
}

function ownOrigins({ host }: ResolvedRequest, { serviceOrigin }: GateRules): readonly string[] {
  return [directOrigin(host), serviceOrigin].filter(known => known !== undefined)
}

/** Whether a foreign page made the browser send this, judged by headers other than Origin. */
function isSentElsewhere(request: ResolvedRequest, rules: GateRules): boolean {
  const { fetchSite, referer } = request
  if (isOfOtherSite(fetchSite)) return true
  if (!referer) return false
  const url = parseUrl(referer)
  return !url || !isSameOrigin(url.origin, ownOrigins(request, rules))
}

/**
 * Includes `same-site`: a neighbour below the same domain is foreign, and so is any value that no browser sends.
 *
 * Source: Fetch Metadata Request Headers.
 */
function isOfOtherSite(fetchSite: string | undefined): boolean {
  return fetchSite !== undefined && !['same-origin', 'none'].includes(fetchSite.toLowerCase())
}

function isUnsafe(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
