import Type from '#typebox'
import type { Accounts } from '../../accounts/accounts.js'
import { type Identity, userOf } from '../../accounts/identity.js'
import { ACCOUNT_LOG_LIMITS, AccountLogEntrySchema } from '../../model/accounts/account-log.js'
import {
  ApiTokenSchema,
  BrowserSessionSchema,
  IssuedTokenSchema,
  ListedUserSchema,
  NewTokenSchema,
  ROLES,
  USER_LIMITS,
  USERNAME_PATTERN,
  type User,
} from '../../model/accounts/user.js'
import { AppError } from '../../model/app-error.js'
import { named } from '../../model/ledger-answers.js'
import { json } from '../answer/reply.js'
import { documented, type HttpRequest, type LedgerEndpoint } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'
import type { ToActor } from './actor.js'

interface UserRouteParts {
  accounts: Accounts
  readJsonBody: ReadJsonBody
  toActor: ToActor
}

const Count = Type.Integer({ minimum: 0 })
const Password = Type.String({ description: `At most ${USER_LIMITS.passwordBytes} bytes of UTF-8.` })

/** `GET /api/users` */
export function listUsers({ accounts }: Pick<UserRouteParts, 'accounts'>): LedgerEndpoint {
  return documented(DOCS.listUsers, async () => {
    const items = await accounts.listUsers()
    return json(200, { items, count: items.length, password_min_length: accounts.passwordMinLength })
  })
}

/** `GET /api/users/log` */
export function listAccountLog({ accounts }: Pick<UserRouteParts, 'accounts'>): LedgerEndpoint {
  return documented(DOCS.listAccountLog, async req => {
    const params = new QueryString(req.search, ['limit'])
    const limit = params.integer('limit', { min: 1, max: ACCOUNT_LOG_LIMITS.page }) ?? ACCOUNT_LOG_LIMITS.defaultPage
    params.finish()
    const items = await accounts.listLog(limit)
    return json(200, { items, count: items.length })
  })
}

/** `POST /api/users` */
export function createUser({ accounts, readJsonBody, toActor }: UserRouteParts): LedgerEndpoint {
  return documented(DOCS.createUser, async (req, res) => {
    const input = await readJsonBody(req, res, USER_LIMITS.bodyBytes)
    return json(201, await accounts.createUser(input, toActor(req)))
  })
}

/** `PATCH /api/users/:id` */
export function updateUser({ accounts, readJsonBody, toActor }: UserRouteParts): LedgerEndpoint {
  return documented(DOCS.updateUser, async (req, res) => {
    const changes = await readJsonBody(req, res, USER_LIMITS.bodyBytes)
    return json(200, await accounts.updateUser(pathParam(req), changes, toActor(req)))
  })
}

/** `DELETE /api/users/:id` */
export function deleteUser({ accounts, toActor }: UserRouteParts): LedgerEndpoint {
  return documented(DOCS.deleteUser, async req => {
    await accounts.deleteUser(pathParam(req), toActor(req))
    return { status: 204, body: '' }
  })
}

/** The id of the user whose tokens or sessions a request is about. */
export type Owner = (req: HttpRequest<Identity>) => string

/** The caller. @throws AppError `conflict/no_account` for an admin that is not a user */
export function ownUser({ identity }: HttpRequest<Identity>): User {
  const user = userOf(identity)
  if (user) return user
  throw new AppError(
    'conflict',
    'no_account',
    'The admin token is not an account, so it has no password, tokens or sessions.',
    {
      hint: 'Create a user, and log in or issue a token for it.',
    },
  )
}

/** `/api/me/…` */
export const ownId: Owner = req => ownUser(req).id

/** `/api/users/:id/…`: that user. @param fromEnd how many segments follow the id */
export function userInPath(fromEnd: number): Owner {
  return req => pathParam(req, fromEnd)
}

/** `POST …/token`. The body names the token's rights, and may be absent; only a digest of the token is stored. */
export function issueToken({ accounts, readJsonBody, toActor }: UserRouteParts, owner: Owner): LedgerEndpoint {
  return documented(DOCS.issueToken, async (req, res) => {
    const userId = owner(req)
    const input = hasBody(req) ? await readJsonBody(req, res, USER_LIMITS.bodyBytes) : undefined
    return json(201, await accounts.tokens.issue(userId, toActor(req), input))
  })
}

/** Source: RFC 9112, section 6.3. */
function hasBody({ headers }: HttpRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** `GET …/tokens` */
export function listTokens({ accounts }: Pick<UserRouteParts, 'accounts'>, owner: Owner): LedgerEndpoint {
  return documented(DOCS.listTokens, async req => {
    const items = await accounts.tokens.list(owner(req))
    return json(200, { items, count: items.length })
  })
}

/** `DELETE …/tokens/:token_id` */
export function revokeToken({ accounts, toActor }: UserRouteParts, owner: Owner): LedgerEndpoint {
  return documented(DOCS.revokeToken, async req => {
    await accounts.tokens.revoke(owner(req), pathParam(req), toActor(req))
    return { status: 204, body: '' }
  })
}

/** `DELETE …/token`: all of them. */
export function revokeTokens({ accounts, toActor }: UserRouteParts, owner: Owner): LedgerEndpoint {
  return documented(DOCS.revokeTokens, async req => {
    await accounts.tokens.revokeAll(owner(req), toActor(req))
    return { status: 204, body: '' }
  })
}

/** `GET …/sessions` */
export function listSessions({ accounts }: Pick<UserRouteParts, 'accounts'>, owner: Owner): LedgerEndpoint {
  return documented(DOCS.listSessions, async req => {
    const current = currentSession(req)
    const sessions = await accounts.sessions.list(owner(req))
    const items = sessions.map(session => ({ ...session, is_current: session.id === current }))
    return json(200, { items, count: items.length })
  })
}

/** `DELETE …/sessions/:session_id` */
export function endSession({ accounts, toActor }: UserRouteParts, owner: Owner): LedgerEndpoint {
  return documented(DOCS.endSession, async req => {
    await accounts.sessions.end(owner(req), pathParam(req), toActor(req))
    return { status: 204, body: '' }
  })
}

/** `DELETE …/sessions`: all of them but the one that asks. */
export function endSessions({ accounts, toActor }: UserRouteParts, owner: Owner): LedgerEndpoint {
  return documented(DOCS.endSessions, async req => {
    await accounts.sessions.endAll(owner(req), toActor(req), currentSession(req))
    return { status: 204, body: '' }
  })
}

function currentSession({ identity }: HttpRequest<Identity>): string | undefined {
  return identity.kind === 'session' ? identity.sessionId : undefined
}

const NewUserSchema = Type.Object({
  username: Type.String({ pattern: USERNAME_PATTERN }),
  password: Password,
  role: Type.Optional(Type.Enum(ROLES, { description: 'member when absent.' })),
})

const ChangedUserSchema = Type.Object({
  role: Type.Optional(Type.Enum(ROLES)),
  enabled: Type.Optional(Type.Boolean()),
  password: Type.Optional(Password),
})

const UserListSchema = Type.Object({
  items: Type.Array(ListedUserSchema),
  count: Count,
  password_min_length: Type.Integer({ description: 'The minimum length of a new password, in bytes of UTF-8.' }),
})
const TokenListSchema = Type.Object({ items: Type.Array(ApiTokenSchema), count: Count })
const SessionListSchema = Type.Object({ items: Type.Array(BrowserSessionSchema), count: Count })
const AccountLogSchema = Type.Object({ items: Type.Array(AccountLogEntrySchema), count: Count })

const DOCS = {
  listUsers: {
    summary: 'All users',
    description: 'Without passwords; also has the minimum length of a new password.',
    answers: { 200: { description: 'The users', schema: UserListSchema } },
  },
  listAccountLog: {
    summary: 'Changes of users and tokens, and logins; newest first',
    description: 'Each entry has the time, the actor with its address, the user affected, and the change.',
    query: [
      {
        name: 'limit',
        description: `How many entries at most; ${ACCOUNT_LOG_LIMITS.defaultPage} when absent.`,
        schema: Type.Integer({ minimum: 1, maximum: ACCOUNT_LOG_LIMITS.page }),
      },
    ],
    answers: { 200: { description: 'The entries', schema: AccountLogSchema } },
  },
  createUser: {
    summary: 'Creates a user',
    description: 'The first user closes the ledger: from then on it asks for a login.',
    body: { 'application/json': NewUserSchema },
    answers: { 201: { description: 'Created', schema: named('User') } },
  },
  updateUser: {
    summary: 'Changes role, enabled or password; members that are not sent stay',
    description: 'The last enabled admin can be neither disabled nor demoted unless there is an admin token.',
    body: { 'application/json': ChangedUserSchema },
    answers: { 200: { description: 'The changed user', schema: named('User') } },
  },
  deleteUser: {
    summary: 'Deletes a user with its sessions and tokens; its subscriptions stay',
    description: 'The last enabled admin cannot be deleted unless there is an admin token.',
    answers: { 204: { description: 'Deleted' } },
  },
  issueToken: {
    summary: 'Issues an API token, which only this answer shows; the body may be absent',
    description: 'A user has at most 20 tokens; issuing another revokes the oldest.',
    body: { 'application/json': NewTokenSchema },
    mayOmitBody: true as const,
    answers: { 201: { description: 'Issued', schema: IssuedTokenSchema } },
  },
  listTokens: {
    summary: 'The API tokens of a user, without their secrets',
    description: 'Each has its rights, its end and when it was last used.',
    answers: { 200: { description: 'The tokens', schema: TokenListSchema } },
  },
  revokeToken: {
    summary: 'Revokes one API token',
    description: 'Requests with it are refused from then on.',
    answers: { 204: { description: 'Revoked' } },
  },
  revokeTokens: {
    summary: 'Revokes every API token of a user',
    description: 'Sessions of browsers stay.',
    answers: { 204: { description: 'Revoked' } },
  },
  listSessions: {
    summary: 'The browser sessions of a user, last used first',
    description: 'Each has its start, its last use and the address of the login.',
    answers: { 200: { description: 'The sessions', schema: SessionListSchema } },
  },
  endSession: {
    summary: 'Ends one browser session',
    description: 'The browser has to log in again; API tokens stay valid.',
    answers: { 204: { description: 'Ended' } },
  },
  endSessions: {
    summary: 'Ends every browser session of a user, except the one that asks',
    description: 'API tokens stay valid.',
    answers: { 204: { description: 'Ended' } },
  },
}
