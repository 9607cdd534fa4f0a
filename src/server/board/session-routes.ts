import { SESSION_COOKIE } from '../../gate/board-sessions.js'
import type { Gate } from '../../gate/gate.js'
import type { BoardIdentity } from '../../gate/identity.js'
import { type CookiePlace, endedCookie, sessionCookie } from '../../login/cookies.js'
import type { ToAddress } from '../../login/throttle-address.js'
import { json } from '../answer/reply.js'
import type { ReadJsonBody } from '../request/json-body.js'
import type { BoardHandler } from './board-route.js'
import { factsOf } from './gate-facts.js'

export interface SessionRouteParts {
  gate: Gate
  readJsonBody: ReadJsonBody
  cookie: CookiePlace
  throttleAddress: ToAddress
}

const LOGIN_BYTES = 4 * 1024

/** Name and path are fixed, whatever root path the board has. Source: Board Access Gate, "Session cookie". */
export function boardCookie(secure: boolean): CookiePlace {
  return { name: SESSION_COOKIE, path: '/', secure }
}

/**
 * `POST /api/login`: begins a session in a browser; the one that this browser had ends. Takes JSON only.
 *
 * Source: Board Access Gate, "Endpoints"; decisions on security, section 3, "Board".
 */
export function login({ gate, readJsonBody, cookie, throttleAddress }: SessionRouteParts): BoardHandler {
  return async (req, res) => {
    const input = await readJsonBody(req, res, LOGIN_BYTES)
    const { cookie: value, csrfToken } = await gate.login(input, factsOf(req, 'login', throttleAddress))
    req.identity = { kind: 'session', csrfToken }
    return { ...json(200, toSession(req.identity)), headers: ['Set-Cookie', sessionCookie({ ...cookie, value })] }
  }
}

/** `POST /api/logout`: ends the session of the cookie that was sent, and the cookie. */
export function logout({ gate, cookie, throttleAddress }: Omit<SessionRouteParts, 'readJsonBody'>): BoardHandler {
  return async req => {
    await gate.logout(factsOf(req, 'logout', throttleAddress))
    return { ...json(200, toSession({ kind: 'anonymous' })), headers: ['Set-Cookie', endedCookie(cookie)] }
  }
}

/** `GET /api/session`: whether the cookie is worth something; a key that was sent besides is not looked at. */
export function sessionStatus(): BoardHandler {
  return req => json(200, toSession(req.identity))
}

/** `GET /api/auth` */
export function authStatus(gate: Gate): BoardHandler {
  return req => json(200, gate.authStatus(req.identity))
}

function toSession(identity: BoardIdentity) {
  const csrfToken = identity.kind === 'session' ? identity.csrfToken : null
  return { authenticated: csrfToken !== null, csrf_token: csrfToken }
}
