import { COMMAND } from '../../accounts/account-log.js'
import type { Accounts, ChangedUser, NewUser } from '../../accounts/accounts.js'
import { createAccounts } from '../../accounts/ledger-accounts.js'
import type { ListedSession } from '../../accounts/session-registry.js'
import { LedgerClient } from '../../client/ledger-client.js'
import type { AccountLogEntry } from '../../model/accounts/account-log.js'
import type { ApiToken, IssuedToken, ListedUser, NewToken, User } from '../../model/accounts/user.js'
import { AppError } from '../../model/app-error.js'
import type { UsersSettings } from '../../settings/local-settings.js'
import { openLedger } from '../open-ledger.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { RemoteAccounts } from './remote-accounts.js'

/**
 * Manages users in the process that owns the ledger: the server that has it open, else this one.
 *
 * @param work may be called again while a server starts or stops, but never after it has made a change
 * @param options `mayBeNew`: create the ledger if there is none
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned`, `unavailable/outcome_unknown`; as `work`
 */
export function manageUsers<Result>(
  settings: UsersSettings,
  work: (users: UserAdministration) => Promise<Result>,
  options?: { mayBeNew: boolean },
): Promise<Result> {
  return ledgerViaServerOrFile(
    settings.database,
    {
      server: (_, socketPath) => work(new UserAdministration(new RemoteAccounts(new LedgerClient({ socketPath })))),
      file: () => inFile(settings, work),
    },
    options,
  )
}

async function inFile<Result>(
  settings: UsersSettings,
  work: (users: UserAdministration) => Promise<Result>,
): Promise<Result> {
  const opened = await openLedger(settings, 'command')
  try {
    const accounts = await createAccounts({
      users: opened.store.users,
      storedSessions: opened.store.multiServer?.sessions,
      adminToken: settings.adminToken,
      passwordMinLength: settings.passwordMinLength,
      // A command has no logins.
      sessionTtlSeconds: 0,
      maxSessions: 0,
      throttleLogins: true,
      now: opened.clock,
      elapsed: () => performance.now(),
    })
    return await work(new UserAdministration(accounts))
  } finally {
    await opened.close()
  }
}

/** The part of `Accounts` that managing users needs. */
export type UserAccounts = Pick<
  Accounts,
  'listUsers' | 'createUser' | 'updateUser' | 'deleteUser' | 'tokens' | 'sessions' | 'listLog'
>

/**
 * Users as a command names them: by id, or by username in any letter case.
 *
 * Every method that takes a user may throw AppError `not_found/not_found`; otherwise as `Accounts`.
 */
export class UserAdministration {
  constructor(private readonly accounts: UserAccounts) {}

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

  /** @param terms absent: all rights of the user, without an end */
  async issueToken(named: string, terms?: NewToken): Promise<{ user: User; token: IssuedToken }> {
    const user = await this.get(named)
    return { user, token: await this.accounts.tokens.issue(user.id, COMMAND, terms) }
  }

  async listTokens(named: string): Promise<ApiToken[]> {
    return this.accounts.tokens.list((await this.get(named)).id)
  }

  async revokeToken(named: string, tokenId: string): Promise<void> {
    await this.accounts.tokens.revoke((await this.get(named)).id, tokenId, COMMAND)
  }

  async revokeTokens(named: string): Promise<void> {
    await this.accounts.tokens.revokeAll((await this.get(named)).id, COMMAND)
  }

  /** Empty for a file without a server, because its sessions are in the memory of the server. */
  async listSessions(named: string): Promise<ListedSession[]> {
    return this.accounts.sessions.list((await this.get(named)).id)
  }

  async endSession(named: string, sessionId: string): Promise<void> {
    await this.accounts.sessions.end((await this.get(named)).id, sessionId, COMMAND)
  }

  async endSessions(named: string): Promise<void> {
    await this.accounts.sessions.endAll((await this.get(named)).id, COMMAND)
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
