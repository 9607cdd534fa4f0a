import type { AppError } from '../../model/app-error.js'
import type { Micros } from '../../model/timestamp.js'
import type { Store } from '../store.js'
import { SqliteEventStore } from './event-store.js'
import { StoreThread, type StoreThreadOptions } from './store-thread.js'
import { SqliteSubscriptionStore } from './subscription-store.js'
import type { Leftover, StoreFile } from './thread/protocol.js'
import { SqliteUserStore } from './user-store.js'

/** A ledger in one SQLite file. */
export interface SqliteStore extends Store {
  readonly schemaVersion: number
  /** What of an older ledger could not be carried over. */
  readonly leftovers: readonly Leftover[]
  /** Resolves once a task has met damage in the file: `unavailable/store_corrupt`. */
  readonly damaged: Promise<AppError>
  /** Looks through the whole file for damage; writes wait. @returns what is wrong, nothing when all is well */
  check(): Promise<string[]>
  /** Looks whether the open files are still those on the disk. @throws AppError `unavailable/ledger_lost` */
  verify(): Promise<void>
}

export interface SqliteStoreOptions extends StoreFile, StoreThreadOptions {
  /** Wall clock in microseconds. It may step back; `captured_at` does not. */
  clock: () => Micros
  /**
   * How many groups of events may be on their way to the store's thread at once, 8 when absent. All that wait there become
   * one commit, each group with the instant at which it was sent.
   */
  groupsUnderWay?: number
}

/**
 * Opens the ledger file, bringing an older schema forward. The caller owns the file (`owner.ts`).
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`
 *
 * Source: Event Ledger Service, "Storage".
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { thread, opened } = await StoreThread.open(options)
  const events = new SqliteEventStore(thread, { ...options, ...opened })
  return {
    schemaVersion: opened.schemaVersion,
    leftovers: opened.leftovers,
    damaged: thread.damaged,
    events,
    subscriptions: new SqliteSubscriptionStore(thread),
    users: new SqliteUserStore(thread),
    check: async () => (await thread.read<string[]>({ task: 'check' })).filter(line => line !== 'ok'),
    verify: () => thread.read({ task: 'verify' }),
    close: async () => {
      await events.finish()
      await thread.close()
    },
  }
}
