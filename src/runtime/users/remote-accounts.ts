import type { ChangedUser, NewUser } from '../../accounts/accounts.js'
import type { LedgerClient } from '../../client/ledger-client.js'
import type { AccountLogEntry } from '../../model/accounts/account-log.js'
import type { ApiToken, BrowserSession, IssuedToken, ListedUser, User } from '../../model/accounts/user.js'
import { changeOnce } from '../change-once.js'
import type { UserAccounts } from './manage-users.js'

/** The accounts of a ledger that a server has open. The server recognises commands by the socket that they use. */
export class RemoteAccounts implements UserAccounts {
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

  readonly tokens: UserAccounts['tokens'] = {
    issue: async (userId, _by, terms) => {
      const json = terms === undefined ? undefined : JSON.stringify(terms)
      return (await once(this.client.issueToken(userId, json))).json() as IssuedToken
    },
    list: async userId => ((await this.client.tokens(userId)).json() as { items: ApiToken[] }).items,
    revoke: async (userId, tokenId) => void (await once(this.client.revokeToken(userId, tokenId))),
    revokeAll: async userId => void (await once(this.client.revokeTokens(userId))),
  }

  readonly sessions: UserAccounts['sessions'] = {
    list: async userId => ((await this.client.sessions(userId)).json() as { items: BrowserSession[] }).items,
    end: async (userId, sessionId) => void (await once(this.client.endSession(userId, sessionId))),
    endAll: async userId => void (await once(this.client.endSessions(userId))),
  }

  async listLog(limit: number): Promise<AccountLogEntry[]> {
    return ((await this.client.accountLog(limit)).json() as { items: AccountLogEntry[] }).items
  }
}

/** Repeating a change could create a second token. */
function once<Result>(change: Promise<Result>): Promise<Result> {
  return changeOnce(change, 'Check with "daybook users list".')
}
