import Type from '#typebox'
import { SESSION_COOKIE } from '../../gate/board-sessions.js'
import type { Gate } from '../../gate/gate.js'
import type { BoardIdentity } from '../../gate/identity.js'
import type { ToAddress } from '../../login/caller-address.js'
import { type CookiePlace, endedCookie, sessionCookie } from '../../login/cookies.js'
import { json } from '../answer/reply.js'
import { documented } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'
import type { BoardEndpoint } from './board-route.js'
import { factsOf } from './gate-facts.js'

export interface SessionRouteParts {
  gate: Gate
  readJsonBody: ReadJsonBody
  cookie: CookiePlace
  throttleAddress: ToAddress
}

const LOGIN_BYTES = 4 * 1024

/** Name and path are fixed, independent of the board's root path. Source: Board Access Gate, "Session cookie". */
export function boardCookie(secure: boolean): CookiePlace {
  return { name: SESSION_COOKIE, path: '/', secure }
}

/**
 * `POST /api/login`: begins a session, which replaces this browser's previous one. Accepts only JSON.
 *
 * Source: Board Access Gate, "Endpoints"; decisions on security, section 3, "Board".
 */
export function login({ gate, readJsonBody, cookie, throttleAddress }: SessionRouteParts): BoardEndpoint {
  return documented(DOCS.login, async (req, res) => {
    const input = await readJsonBody(req, res, LOGIN_BYTES)
    const { cookie: value, csrfToken } = await gate.login(input, factsOf(req, 'login', throttleAddress))
    req.identity = { kind: 'session', csrfToken }
    return { ...json(200, toSession(req.identity)), headers: ['Set-Cookie', sessionCookie({ ...cookie, value })] }
  })
}

/** `POST /api/logout`: ends the session of the cookie, and removes the cookie. */
export function logout({ gate, cookie, throttleAddress }: Omit<SessionRouteParts, 'readJsonBody'>): BoardEndpoint {
  return documented(DOCS.logout, async req => {
    await gate.logout(factsOf(req, 'logout', throttleAddress))
    return { ...json(200, toSession({ kind: 'anonymous' })), headers: ['Set-Cookie', endedCookie(cookie)] }
  })
}

/** `GET /api/session`: describes the cookie's session, even if the request has a key. */
export function sessionStatus(): BoardEndpoint {
  return documented(DOCS.session, req => json(200, toSession(req.identity)))
}

/** `GET /api/auth` */
export function authStatus({ gate }: Pick<SessionRouteParts, 'gate'>): BoardEndpoint {
  return documented(DOCS.auth, req => json(200, gate.authStatus(req.identity)))
}

function toSession(identity: BoardIdentity) {
  const { csrfToken, ledgerUser } = identity.kind === 'session' ? identity : { csrfToken: null }
  const session = { authenticated: csrfToken !== null, csrf_token: csrfToken }
  return ledgerUser === undefined ? session : { ...session, ledger_user: ledgerUser }
}

const SessionSchema = Type.Object({
  authenticated: Type.Boolean(),
  csrf_token: Type.Union([Type.String(), Type.Null()]),
  ledger_user: Type.Optional(Type.String({ description: 'The username, if it is a session of the ledger.' })),
})

const DOCS = {
  login: {
    summary: 'Logs in with the shared password, and with the username if one is configured',
    description: 'Sets the session cookie; wrong passwords slow down further attempts from the same address.',
    body: {
      'application/json': Type.Object({
        password: Type.String(),
        username: Type.Optional(Type.String({ description: '`account` is the same.' })),
      }),
    },
    answers: { 200: { description: 'Logged in; the cookie is set', schema: SessionSchema } },
  },
  session: {
    summary: 'Whether the cookie names a live session, and its CSRF token',
    description: 'Always 200; describes the session of the cookie that was sent.',
    answers: { 200: { description: 'The session', schema: SessionSchema } },
  },
  logout: {
    summary: 'Ends the session of the cookie',
    description:
      'Deletes the session and its cookie. Without a session, with the key or on an open board, it does nothing. 409 `ledger_session` for a session of the ledger, which ends there.',
    answers: { 200: { description: 'Ended; the cookie is cleared', schema: SessionSchema } },
  },
  auth: {
    summary: 'The ways to log in, and whether the caller is logged in',
    description: 'Always 200; the page asks it before it shows a login form.',
    answers: {
      200: {
        description: 'Four flags',
        schema: Type.Object({
          enabled: Type.Boolean({ description: 'There is a password to log in with.' }),
          authenticated: Type.Boolean({ description: 'The caller is logged in.' }),
          username_required: Type.Boolean(),
          api_token_enabled: Type.Boolean({ description: 'There is an API key.' }),
        }),
      },
    },
  },
}
