import type { Actor } from '../accounts/account-log.js'
import type { ChangedUser, NewUser } from '../accounts/accounts.js'
import type { LedgerClient } from '../client/ledger-client.js'
import type { AccountLogEntry } from '../model/accounts/account-log.js'
import type { ApiToken, IssuedToken, ListedUser, TokenRights, User } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import type { UserManagement } from './managed-users.js'

/** The users of a ledger that a server has open. The server sees by the socket that a command asks. */
export class ServedUsers implements UserManagement {
  constructor(private readonly client: LedgerClient) {}

  async listUsers(): Promise<ListedUser[]> {
    return ((await this.client.users()).json() as { items: ListedUser[] }).items
  }

  async createUser(user: NewUser): Promise<User> {
    return (await once(this.client.createUser(JSON.stringify(user)))).json() as User
  }

  async updateUser(id: string, changes: ChangedUser): Promise<User> {
    return (await once(this.client.updateUser(id, JSON.stringify(changes)))).json() as User
  }

  async deleteUser(id: string): Promise<void> {
    await once(this.client.deleteUser(id))
  }

  async issueToken(userId: string, _by: Actor, rights?: Partial<TokenRights>): Promise<IssuedToken> {
    const json = rights === undefined ? undefined : JSON.stringify(rights)
    return (await once(this.client.issueToken(userId, json))).json() as IssuedToken
  }

  async listTokens(userId: string): Promise<ApiToken[]> {
    return ((await this.client.tokens(userId)).json() as { items: ApiToken[] }).items
  }

  async revokeToken(userId: string, tokenId: string): Promise<void> {
    await once(this.client.revokeToken(userId, tokenId))
  }

  async revokeTokens(userId: string): Promise<void> {
    await once(this.client.revokeTokens(userId))
  }

  async listLog(limit: number): Promise<AccountLogEntry[]> {
    return ((await this.client.accountLog(limit)).json() as { items: AccountLogEntry[] }).items
  }
}

/** A change whose answer was lost may have been made, and must not be made again unasked: a token would be left over. */
async function once<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'connection_lost') throw cause
    const detail = 'The server ended before it answered, so this may be done or not.'
    throw new AppError('unavailable', 'outcome_unknown', detail, { hint: 'Look with "daybook users list".', cause })
  }
}
