import type { Accounts } from '../accounts/accounts.js'
import { type Identity, userOf } from '../accounts/identity.js'
import { AppError } from '../model/app-error.js'
import { USER_LIMITS } from '../model/user.js'
import type { ReadJsonBody } from './json-body.js'
import { pathParam } from './path-param.js'
import { json } from './reply.js'
import type { HttpRequest, LedgerHandler } from './route.js'

/** `GET /api/users` */
export function listUsers(accounts: Accounts): LedgerHandler {
  return async () => {
    const items = await accounts.listUsers()
    return json(200, { items, count: items.length })
  }
}

/** `POST /api/users` */
export function createUser(accounts: Accounts, readJsonBody: ReadJsonBody): LedgerHandler {
  return async (req, res) => {
    const input = await readJsonBody(req, res, USER_LIMITS.bodyBytes)
    return json(201, await accounts.createUser(input))
  }
}

/** `PATCH /api/users/:id`: role, enabled, password; what is not sent stays. */
export function updateUser(accounts: Accounts, readJsonBody: ReadJsonBody): LedgerHandler {
  return async (req, res) => {
    const changes = await readJsonBody(req, res, USER_LIMITS.bodyBytes)
    return json(200, await accounts.updateUser(pathParam(req), changes))
  }
}

/** `DELETE /api/users/:id` */
export function deleteUser(accounts: Accounts): LedgerHandler {
  return async req => {
    await accounts.deleteUser(pathParam(req))
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

/** `POST …/token`: a new token. It is shown this once, and kept as a digest only. */
export function issueToken(accounts: Accounts, owner: TokenOwner): LedgerHandler {
  return async req => json(201, await accounts.issueToken(owner(req)))
}

/** `GET …/tokens` */
export function listTokens(accounts: Accounts, owner: TokenOwner): LedgerHandler {
  return async req => {
    const items = await accounts.listTokens(owner(req))
    return json(200, { items, count: items.length })
  }
}

/** `DELETE …/tokens/:token_id` */
export function revokeToken(accounts: Accounts, owner: TokenOwner): LedgerHandler {
  return async req => {
    await accounts.revokeToken(owner(req), pathParam(req))
    return { status: 204, body: '' }
  }
}

/** `DELETE …/token`: all of them. */
export function revokeTokens(accounts: Accounts, owner: TokenOwner): LedgerHandler {
  return async req => {
    await accounts.revokeTokens(owner(req))
    return { status: 204, body: '' }
  }
}
