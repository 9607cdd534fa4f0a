import Type from '#typebox'
import type { Accounts } from '../../accounts/accounts.js'
import { type Identity, isAdmin, userOf } from '../../accounts/identity.js'
import { readLogin } from '../../accounts/read-user.js'
import type { ToAddress } from '../../login/caller-address.js'
import { type CookiePlace, endedCookie, sessionCookie } from '../../login/cookies.js'
import { safeNext } from '../../login/safe-next.js'
import { USER_LIMITS } from '../../model/accounts/user.js'
import { SESSION } from '../../model/ledger-answers.js'
import { json } from '../answer/reply.js'
import { addressOf } from '../http/request-address.js'
import { documented, type LedgerEndpoint } from '../http/route.js'
import { NEXT_PARAMETER } from '../pages/login-pages.js'
import type { ReadJsonBody } from '../request/body.js'
import { readCredentials } from '../request/credentials.js'
import { singleValue } from '../request/query-string.js'
import type { ToActor } from './actor.js'
import { ownUser } from './user-routes.js'

interface SessionRouteParts {
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
 * `POST /api/login`: begins a session, which replaces this browser's previous one. It needs no CSRF token, as there is no
 * session yet that a foreign page could misuse, and accepts only JSON.
 *
 * Source: Event Ledger Service, "Endpoints"; decisions on identity, section 5.
 */
export function login(parts: SessionRouteParts): LedgerEndpoint {
  const { accounts, readJsonBody, rootPath, cookie, throttleAddress, toActor } = parts
  return documented(DOCS.login, async (req, res) => {
    const { username, password, next } = readLogin(await readJsonBody(req, res, LOGIN_BYTES))
    const address = addressOf(req, throttleAddress)
    const { session: replaces } = readCredentials(req, cookie.name)
    const attempt = { username, password, address, ...(replaces ? { replaces } : {}) }
    const { sessionToken, identity } = await accounts.login(attempt, toActor(req))
    req.identity = identity
    const status = await toSessionStatus(identity, accounts)
    return {
      ...json(200, {
        ...status,
        next: safeNext(next === undefined ? singleValue(req.search, 'next') : next, rootPath),
      }),
      headers: ['Set-Cookie', sessionCookie({ ...cookie, value: sessionToken })],
    }
  })
}

/** `POST /api/logout`: ends the session of the cookie, and removes the cookie. */
export function logout({ accounts, cookie }: Pick<SessionRouteParts, 'accounts' | 'cookie'>): LedgerEndpoint {
  return documented(DOCS.logout, async req => {
    const { session } = readCredentials(req, cookie.name)
    if (session) await accounts.logout(session)
    return { status: 204, body: '', headers: ['Set-Cookie', endedCookie(cookie)] }
  })
}

/**
 * `POST /api/me/password`. The session that asked stays, with another token, so copies of its cookie become invalid.
 *
 * Source: docs/decisions/0039.
 */
export function changeOwnPassword(parts: SessionRouteParts): LedgerEndpoint {
  const { accounts, readJsonBody, cookie, throttleAddress, toActor } = parts
  return documented(DOCS.password, async (req, res) => {
    const user = ownUser(req)
    const input = await readJsonBody(req, res, LOGIN_BYTES)
    const session = req.identity.kind === 'session' ? readCredentials(req, cookie.name).session : undefined
    const address = addressOf(req, throttleAddress)
    const renewed = await accounts.changeOwnPassword({ user, input, address, session }, toActor(req))
    return {
      ...json(200, { csrf_token: renewed?.identity.csrfToken ?? null }),
      ...(renewed ? { headers: ['Set-Cookie', sessionCookie({ ...cookie, value: renewed.sessionToken })] } : {}),
    }
  })
}

/** `GET /api/session` */
export function sessionStatus({ accounts }: Pick<SessionRouteParts, 'accounts'>): LedgerEndpoint {
  return documented(DOCS.session, async req => json(200, await toSessionStatus(req.identity, accounts)))
}

async function toSessionStatus(identity: Identity, accounts: Accounts) {
  const user = identity.kind === 'writer' ? identity.user : userOf(identity)
  return {
    admin_required: await accounts.isClosed(),
    authenticated: user !== undefined || isAdmin(identity),
    user: user ? { id: user.id, username: user.username, role: user.role } : null,
    is_bootstrap_admin: identity.kind === 'bootstrap_admin',
    csrf_token: identity.kind === 'session' ? identity.csrfToken : null,
    ...(identity.kind === 'reader' ? { may: 'read' } : {}),
    ...(identity.kind === 'writer' ? { may: 'write', sources: identity.sources } : {}),
  }
}

const LoginSchema = Type.Object({
  username: Type.String(),
  password: Type.String({ description: `At most ${USER_LIMITS.passwordBytes} bytes of UTF-8.` }),
  next: Type.Optional(
    Type.String({ description: 'Where to go after the login; takes precedence over the parameter.' }),
  ),
})

const SessionSchema = Type.Object({
  ...SESSION,
  may: Type.Optional(
    Type.Enum(['read', 'write'], { description: 'read: by a read-only token; write: by a writer token.' }),
  ),
  sources: Type.Optional(Type.Array(Type.String(), { description: 'The sources that a writer token records.' })),
})

const OwnPasswordSchema = Type.Object({
  current_password: Type.String(),
  password: Type.String({ description: `The new one. At most ${USER_LIMITS.passwordBytes} bytes of UTF-8.` }),
})

const LoggedInSchema = Type.Object({
  ...SESSION,
  next: Type.String({ description: 'Where to go now: a path of this server.' }),
})

const DOCS = {
  login: {
    summary: 'Begins a session in a browser, by a cookie',
    description: 'Replaces the previous session of this browser; programs use an API token instead.',
    query: [NEXT_PARAMETER],
    body: { 'application/json': LoginSchema },
    answers: { 200: { description: 'The new session, and where to go', schema: LoggedInSchema } },
  },
  logout: {
    summary: 'Ends the session of the cookie sent',
    description: 'Deletes the session and its cookie; API tokens stay valid.',
    answers: { 204: { description: 'Ended' } },
  },
  password: {
    summary: "Changes the caller's password, and ends all its other sessions",
    description: 'Needs the current password; API tokens stay valid.',
    body: { 'application/json': OwnPasswordSchema },
    answers: { 200: { description: 'Changed', schema: Type.Object({ csrf_token: SESSION.csrf_token }) } },
  },
  session: {
    summary: 'The identity of the caller, and the CSRF token of a session',
    description: 'Always 200; describes the caller.',
    answers: { 200: { description: 'Also for callers without a login', schema: SessionSchema } },
  },
}
