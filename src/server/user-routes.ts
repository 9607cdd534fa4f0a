import type { Accounts } from '../accounts/accounts.js'
import { type Identity, userOf } from '../accounts/identity.js'
import { ACCOUNT_LOG_LIMITS } from '../model/accounts/account-log.js'
import { USER_LIMITS } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import type { ToActor } from './actor.js'
import type { ReadJsonBody } from './json-body.js'
import { pathParam } from './path-param.js'
import { QueryString } from './query-string.js'
import { json } from './reply.js'
import type { HttpRequest, LedgerHandler } from './route.js'

/** `GET /api/users` */
export function listUsers(accounts: Accounts): LedgerHandler {
  return async () => {
    const items = await accounts.listUsers()
    return json(200, { items, count: items.length })
  }
}

/** `GET /api/users/log`: what happened to accounts, newest first. */
export function listAccountLog(accounts: Accounts): LedgerHandler {
  return async req => {
    const params = new QueryString(req.search, ['limit'])
    const limit = params.integer('limit', { min: 1, max: ACCOUNT_LOG_LIMITS.page }) ?? ACCOUNT_LOG_LIMITS.defaultPage
    params.finish()
    const items = await accounts.listLog(limit)
    return json(200, { items, count: items.length })
  }
}

/** `POST /api/users` */
export function createUser(accounts: Accounts, readJsonBody: ReadJsonBody, toActor: ToActor): LedgerHandler {
  return async (req, res) => {
    const input = await readJsonBody(req, res, USER_LIMITS.bodyBytes)
    return json(201, await accounts.createUser(input, toActor(req)))
  }
}

/** `PATCH /api/users/:id`: role, enabled, password; what is not sent stays. */
export function updateUser(accounts: Accounts, readJsonBody: ReadJsonBody, toActor: ToActor): LedgerHandler {
  return async (req, res) => {
    const changes = await readJsonBody(req, res, USER_LIMITS.bodyBytes)
    return json(200, await accounts.updateUser(pathParam(req), changes, toActor(req)))
  }
}

/** `DELETE /api/users/:id` */
export function deleteUser(accounts: Accounts, toActor: ToActor): LedgerHandler {
  return async req => {
    await accounts.deleteUser(pathParam(req), toActor(req))
    return { status: 204, body: '' }
  }
}

/** Says whose tokens a request is about. */
export type TokenOwner = (req: HttpRequest<Identity>) => string

/** `/api/me/…`: the caller's. @throws AppError `conflict/no_account` for an admin that is no user */
export const ownTokens: TokenOwner = req => {
  const user = userOf(req.identity)
  if (user) return user.id
  throw new AppError('conflict', 'no_account', 'The admin token is no account, so there is nothing to own a token.', {
    hint: 'Create a user, and issue the token for it.',
  })
}

/** `/api/users/:id/…`: that user's. @param fromEnd how many segments follow the id */
export function tokensOfUser(fromEnd: number): TokenOwner {
  return req => pathParam(req, fromEnd)
}

/**
 * `POST …/token`: a new token, which this answer alone shows; a digest of it is kept. The body may say what the token may
 * do, and may be absent.
 */
export function issueToken(
  { accounts, readJsonBody, toActor }: { accounts: Accounts; readJsonBody: ReadJsonBody; toActor: ToActor },
  owner: TokenOwner,
): LedgerHandler {
  return async (req, res) => {
    const userId = owner(req)
    const input = hasBody(req) ? await readJsonBody(req, res, USER_LIMITS.bodyBytes) : undefined
    return json(201, await accounts.issueToken(userId, toActor(req), input))
  }
}

/** Source: RFC 9112, section 6.3. */
function hasBody({ headers }: HttpRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** `GET …/tokens` */
export function listTokens(accounts: Accounts, owner: TokenOwner): LedgerHandler {
  return async req => {
    const items = await accounts.listTokens(owner(req))
    return json(200, { items, count: items.length })
  }
}

/** `DELETE …/tokens/:token_id` */
export function revokeToken(accounts: Accounts, owner: TokenOwner, toActor: ToActor): LedgerHandler {
  return async req => {
    await accounts.revokeToken(owner(req), pathParam(req), toActor(req))
    return { status: 204, body: '' }
  }
}

/** `DELETE …/token`: all of them. */
export function revokeTokens(accounts: Accounts, owner: TokenOwner, toActor: ToActor): LedgerHandler {
  return async req => {
    await accounts.revokeTokens(owner(req), toActor(req))
    return { status: 204, body: '' }
  }
}
