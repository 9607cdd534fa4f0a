import type { Accounts } from '../../accounts/accounts.js'
import { type Identity, isAdmin, userOf } from '../../accounts/identity.js'
import { readLogin } from '../../accounts/read-user.js'
import { type CookiePlace, endedCookie, sessionCookie } from '../../login/cookies.js'
import { safeNext } from '../../login/safe-next.js'
import type { ToAddress } from '../../login/throttle-address.js'
import { json } from '../answer/reply.js'
import { addressOf } from '../http/caller-address.js'
import type { LedgerHandler } from '../http/route.js'
import type { ReadJsonBody } from '../request/json-body.js'
import { readShownCredentials } from '../request/shown-credentials.js'
import type { ToActor } from './actor.js'
import { nextInQuery } from './next-param.js'

export interface SessionRouteParts {
  accounts: Accounts
  readJsonBody: ReadJsonBody
  rootPath: string
  cookie: CookiePlace
  /** The address that failed logins are counted for. */
  throttleAddress: ToAddress
  toActor: ToActor
}

const LOGIN_BYTES = 4 * 1024

/**
 * `POST /api/login`: begins a session in a browser; the one that this browser had ends. Needs no CSRF token, as there is
 * no session yet to be misused, and takes JSON only.
 *
 * Source: Event Ledger Service, "Endpoints"; decisions on identity, section 5.
 */
export function login({
  accounts,
  readJsonBody,
  rootPath,
  cookie,
  throttleAddress,
  toActor,
}: SessionRouteParts): LedgerHandler {
  return async (req, res) => {
    const { username, password, next } = readLogin(await readJsonBody(req, res, LOGIN_BYTES))
    const address = addressOf(req, throttleAddress)
    const { session: replaces } = readShownCredentials(req, cookie.name)
    const attempt = { username, password, address, ...(replaces ? { replaces } : {}) }
    const { sessionToken, identity } = await accounts.login(attempt, toActor(req))
    req.identity = identity
    const status = await toSessionStatus(identity, accounts)
    return {
      ...json(200, { ...status, next: safeNext(next === undefined ? nextInQuery(req.search) : next, rootPath) }),
      headers: ['Set-Cookie', sessionCookie({ ...cookie, value: sessionToken })],
    }
  }
}

/** `POST /api/logout`: ends the session of the cookie that was sent, and the cookie. */
export function logout({ accounts, cookie }: Pick<SessionRouteParts, 'accounts' | 'cookie'>): LedgerHandler {
  return async req => {
    const { session } = readShownCredentials(req, cookie.name)
    if (session) await accounts.logout(session)
    return { status: 204, body: '', headers: ['Set-Cookie', endedCookie(cookie)] }
  }
}

/** `GET /api/session`: who asks. */
export function sessionStatus(accounts: Accounts): LedgerHandler {
  return async req => json(200, await toSessionStatus(req.identity, accounts))
}

async function toSessionStatus(identity: Identity, accounts: Accounts) {
  const user = identity.kind === 'writer' ? identity.user : userOf(identity)
  return {
    admin_required: await accounts.isClosed(),
    authenticated: user !== undefined || isAdmin(identity),
    user: user ? { id: user.id, username: user.username, role: user.role } : null,
    is_bootstrap_admin: identity.kind === 'bootstrap_admin',
    csrf_token: identity.kind === 'session' ? identity.csrfToken : null,
    ...(identity.kind === 'writer' ? { may: 'write', sources: identity.sources } : {}),
  }
}
