import { createAccounts } from '../accounts/ledger-accounts.js'
import { LedgerClient } from '../client/ledger-client.js'
import type { UsersSettings } from '../settings/users-settings.js'
import { ManagedUsers } from './managed-users.js'
import { openLedger, wallClock } from './open-ledger.js'
import { reachLedger } from './reach-ledger.js'
import { ServedUsers } from './served-users.js'

/**
 * Manages users in the process that owns the ledger: the server that has it open, else this one.
 *
 * @param work may be begun again while a server starts or stops, but not once it has changed something
 * @param options `mayBeNew`: where there is no ledger, one is made
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned`, `unavailable/outcome_unknown`; as `work`
 */
export function manageUsers<Result>(
  settings: UsersSettings,
  work: (users: ManagedUsers) => Promise<Result>,
  options?: { mayBeNew: boolean },
): Promise<Result> {
  return reachLedger(
    settings.database,
    {
      throughServer: (_, socketPath) => work(new ManagedUsers(new ServedUsers(new LedgerClient({ socketPath })))),
      throughFile: () => inFile(settings, work),
    },
    options,
  )
}

async function inFile<Result>(
  settings: UsersSettings,
  work: (users: ManagedUsers) => Promise<Result>,
): Promise<Result> {
  const opened = await openLedger(settings, 'command')
  try {
    const accounts = await createAccounts({
      users: opened.store.users,
      adminToken: settings.adminToken,
      passwordMinLength: settings.passwordMinLength,
      // Nobody logs in to a command.
      ...{ sessionTtlSeconds: 0, maxSessions: 0, throttleLogins: true },
      now: wallClock,
      elapsed: () => performance.now(),
    })
    return await work(new ManagedUsers(accounts))
  } finally {
    await opened.close()
  }
}
