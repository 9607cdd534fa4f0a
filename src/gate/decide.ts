import { directOrigin, isLoopbackHost, isSameOrigin } from '../login/origins.js'
import type { BoardAccess } from './access.js'
import type { RequestFacts } from './gate.js'
import { type BoardIdentity, NOBODY } from './identity.js'

/** What is asked for. With neither of them the board is open to whoever reaches it. */
export interface AccessMode {
  hasPassword: boolean
  hasKey: boolean
}

export interface GateRules extends AccessMode {
  /** An origin of ours besides the one that was asked directly. */
  serviceOrigin?: string
}

/** What the executor's token that was shown is worth. `unset`: none is configured. */
export type ExecutorProof = 'unset' | 'missing' | 'wrong' | 'right'

/** A request whose credentials have been looked at. */
export interface ResolvedRequest
  extends Pick<RequestFacts, 'access' | 'method' | 'local' | 'host' | 'origin' | 'referer' | 'fetchSite'> {
  /** It shows the API key, in whichever of its two headers. */
  showsKey: boolean
  /** The live session of its cookie. */
  session: { csrfToken: string } | undefined
  /** It shows the CSRF token of that session. */
  showsCsrfToken: boolean
  executor: ExecutorProof
}

export const REFUSALS = [
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
  /** `unasked`: nobody is identified; `optional`: everybody comes in; `needed`: whoever is nobody does not. */
  identity: 'unasked' | 'optional' | 'needed'
  /** The executor's token as well. */
  executes: boolean
}

const RULES: Record<BoardAccess, AccessRule> = {
  public: { identity: 'unasked', executes: false },
  anybody: { identity: 'optional', executes: false },
  login: { identity: 'optional', executes: false },
  logout: { identity: 'needed', executes: false },
  api: { identity: 'needed', executes: false },
  execute: { identity: 'needed', executes: true },
  local: { identity: 'needed', executes: false },
}

/**
 * Decides whether a request may do what its route is for, and who sent it. Checked in this order: where it came from,
 * host, whether there is a login at all, identity, Origin, CSRF token, executor's token.
 *
 * A key or the owner's socket is nothing that a page elsewhere could make a browser send along, so it needs neither
 * Origin nor CSRF token; a cookie is. An open board is reached by every page that runs on this machine, and by pages
 * elsewhere whose host name resolves to it: the `Host` gives those away, and the `Origin` the others.
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
  const identity = rule.identity === 'unasked' && !local ? NOBODY : identify(request, rules)
  if (rule.identity === 'needed' && identity.kind === 'anonymous') return { refusal: 'unauthenticated' }
  const isCookieWrite = identity.kind === 'session' && !request.showsKey && isUnsafe(request.method)
  if (!local && !originFits(request, rules, isCookieWrite)) return { refusal: 'origin_not_allowed' }
  if (isCookieWrite && !request.showsCsrfToken) return { refusal: 'csrf_failed' }
  const refusal = rule.executes ? refuseExecution(request.executor) : undefined
  return refusal === undefined ? { identity } : { refusal }
}

/** The executor's token is asked for whoever it is, the owner of the files included. */
export function refuseExecution(proof: ExecutorProof): Refusal | undefined {
  if (proof === 'right') return undefined
  return proof === 'unset' ? 'executor_disabled' : 'executor_denied'
}

export function isOpen({ hasPassword, hasKey }: AccessMode): boolean {
  return !hasPassword && !hasKey
}

/**
 * The key goes before the session, and frees from its rules. Only where anybody may come the session is told first: what
 * is answered there is about it.
 */
function identify({ access, local, showsKey, session }: ResolvedRequest, rules: GateRules): BoardIdentity {
  if (local) return { kind: 'owner' }
  if (isOpen(rules)) return { kind: 'local' }
  const byKey: BoardIdentity | undefined = rules.hasKey && showsKey ? { kind: 'key' } : undefined
  // Without a password nobody can log in, so whoever did before is logged in no longer.
  const bySession: BoardIdentity | undefined =
    rules.hasPassword && session ? { kind: 'session', ...session } : undefined
  return (access === 'anybody' ? (bySession ?? byKey) : (byKey ?? bySession)) ?? NOBODY
}

function originFits(request: ResolvedRequest, rules: GateRules, isCookieWrite: boolean): boolean {
  const { access, method, origin } = request
  if (isCookieWrite) return isSameOrigin(origin, ownOrigins(request, rules))
  if (access !== 'login' && !isOpen(rules)) return true
  if (origin !== undefined) return isSameOrigin(origin, ownOrigins(request, rules))
  if (access === 'login') return !isSentElsewhere(request, rules)
  return !isUnsafe(method) || !isOfOtherSite(request.fetchSite)
}

function ownOrigins({ host }: ResolvedRequest, { serviceOrigin }: GateRules): readonly string[] {
  return [directOrigin(host), serviceOrigin].filter(known => known !== undefined)
}

/** Whether a page of somebody else's has a browser send this, told from what else than an Origin browsers send. */
function isSentElsewhere(request: ResolvedRequest, rules: GateRules): boolean {
  const { fetchSite, referer } = request
  if (isOfOtherSite(fetchSite)) return true
  if (!referer) return false
  return !URL.canParse(referer) || !isSameOrigin(new URL(referer).origin, ownOrigins(request, rules))
}

/**
 * `same-site` as well: a neighbour below the same domain is somebody else. So is whatever no browser says.
 *
 * Source: Fetch Metadata Request Headers.
 */
function isOfOtherSite(fetchSite: string | undefined): boolean {
  return fetchSite !== undefined && !['same-origin', 'none'].includes(fetchSite.toLowerCase())
}

function isUnsafe(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
