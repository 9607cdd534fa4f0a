import type { AccountAction, AccountLogEntry, ActorIdentity } from '../model/accounts/account-log.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { StoredUser, UserStore } from '../store/user-store.js'

/** Who changes an account or logs in, and from where. */
export interface Actor {
  identity: ActorIdentity
  /** Set if the identity belongs to a user. */
  user?: { id: string; username: string }
  /** The caller's address, behind trusted proxies. */
  address?: string
  requestId?: string
}

/** A command that works on the ledger's files. */
export const COMMAND: Actor = { identity: 'command' }
export const BOOTSTRAP_SETTINGS: Actor = { identity: 'settings' }

/** The content of an entry, without time and actor. */
interface AccountEvent {
  action: AccountAction
  user: { id: string; username: string } | undefined
  changes?: AccountLogEntry['changes']
}

interface AccountLogParts {
  users: Pick<UserStore, 'addToLog' | 'listLog'>
  now: () => Micros
  /** Writes a line to the server's log. */
  writeLine?: ((entry: AccountLogEntry) => void) | undefined
  /** Called if the entry of a login or of ended sessions could not be saved. Both actions still succeed. */
  reportLoss?: ((error: unknown) => void) | undefined
}

/**
 * Actions on accounts, saved by the store and written to the server's log.
 *
 * Source: docs/decisions/0020.
 */
export class AccountLog {
  constructor(private readonly parts: AccountLogParts) {}

  toEntry({ action, user, changes = {} }: AccountEvent, by: Actor): AccountLogEntry {
    return {
      at: toTimestamp(this.parts.now()),
      action,
      by: { identity: by.identity, user: by.user ? named(by.user) : null },
      user: user ? named(user) : null,
      changes,
      address: by.address ?? null,
      request_id: by.requestId ?? null,
    }
  }

  /** Writes an entry to the server's log only. */
  writeLine(entry: AccountLogEntry): void {
    this.parts.writeLine?.(entry)
  }

  /** Saves and logs an entry about a session. Logins and logouts succeed even if the store cannot write. */
  async addSession(event: AccountEvent, by: Actor): Promise<void> {
    const entry = this.toEntry(event, by)
    this.writeLine(entry)
    await this.parts.users.addToLog(entry).catch(error => this.parts.reportLoss?.(error))
  }

  list(limit: number): Promise<AccountLogEntry[]> {
    return this.parts.users.listLog(limit)
  }
}

/** The members of a user that a change alters; none if the user is missing before or after it. */
export function changesOf(before: StoredUser | undefined, after: StoredUser | undefined): AccountLogEntry['changes'] {
  const changes: AccountLogEntry['changes'] = {}
  for (const member of ['username', 'role', 'enabled'] as const) {
    const [from = null, to = null] = [before?.[member], after?.[member]]
    if (from !== to) changes[member] = { from, to }
  }
  if (before && after && before.password_hash !== after.password_hash) changes.password = 'changed'
  return changes
}

function named({ id, username }: { id: string; username: string }) {
  return { id, username }
}
