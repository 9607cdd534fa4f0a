import { COMMAND } from '../accounts/account-log.js'
import type { Accounts, ChangedUser, NewUser } from '../accounts/accounts.js'
import type { AccountLogEntry } from '../model/accounts/account-log.js'
import type { ApiToken, IssuedToken, ListedUser, TokenRights, User } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'

/** As much of accounts as managing users takes. */
export type UserManagement = Pick<
  Accounts,
  | 'listUsers'
  | 'createUser'
  | 'updateUser'
  | 'deleteUser'
  | 'issueToken'
  | 'listTokens'
  | 'revokeToken'
  | 'revokeTokens'
  | 'listLog'
>

/**
 * Users as a command names them: by id, or by username whatever its case.
 *
 * Every method that is given a user may throw AppError `not_found/not_found`, and what `Accounts` says.
 */
export class ManagedUsers {
  constructor(private readonly accounts: UserManagement) {}

  list(): Promise<ListedUser[]> {
    return this.accounts.listUsers()
  }

  create(user: NewUser): Promise<User> {
    return this.accounts.createUser(user, COMMAND)
  }

  async update(named: string, changes: ChangedUser): Promise<User> {
    return this.accounts.updateUser((await this.get(named)).id, changes, COMMAND)
  }

  /** @returns the user that was deleted */
  async delete(named: string): Promise<User> {
    const user = await this.get(named)
    await this.accounts.deleteUser(user.id, COMMAND)
    return user
  }

  /** @param rights absent: what the user may do */
  async issueToken(named: string, rights?: Partial<TokenRights>): Promise<{ user: User; token: IssuedToken }> {
    const user = await this.get(named)
    return { user, token: await this.accounts.issueToken(user.id, COMMAND, rights) }
  }

  async listTokens(named: string): Promise<ApiToken[]> {
    return this.accounts.listTokens((await this.get(named)).id)
  }

  async revokeToken(named: string, tokenId: string): Promise<void> {
    await this.accounts.revokeToken((await this.get(named)).id, tokenId, COMMAND)
  }

  async revokeTokens(named: string): Promise<void> {
    await this.accounts.revokeTokens((await this.get(named)).id, COMMAND)
  }

  /** The account log, newest first. */
  listLog(limit: number): Promise<AccountLogEntry[]> {
    return this.accounts.listLog(limit)
  }

  private async get(named: string): Promise<User> {
    const users = await this.accounts.listUsers()
    const name = named.toLowerCase()
    const user = users.find(({ id }) => id === named) ?? users.find(({ username }) => username.toLowerCase() === name)
    if (user) return user
    throw new AppError('not_found', 'not_found', `There is no user "${named}".`, {
      hint: '"daybook users list" shows all of them.',
    })
  }
}
