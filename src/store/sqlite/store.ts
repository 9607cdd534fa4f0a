import type { Micros } from '../../model/timestamp.js'
import type { Store } from '../store.js'
import { SqliteEventStore } from './event-store.js'
import { StoreThread } from './store-thread.js'
import { SqliteSubscriptionStore } from './subscription-store.js'
import { SqliteUserStore } from './user-store.js'

/** A ledger in one SQLite file. */
export interface SqliteStore extends Store {
  readonly schemaVersion: number
  /** Looks through the whole file for damage; writes wait. @returns what is wrong, nothing when all is well */
  check(): Promise<string[]>
}

export interface SqliteStoreOptions {
  path: string
  /** Wall clock in microseconds. It may step back; `captured_at` does not. */
  clock: () => Micros
  /**
   * How many groups of events may be on their way to the store's thread at once, 8 when absent. All that wait there become
   * one commit, each group with the instant at which it was sent.
   */
  groupsUnderWay?: number
  /** The store's thread died of a defect. */
  onFailure: (error: unknown) => void
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
  const events = new SqliteEventStore(thread, { ...options, epoch: opened.epoch })
  return {
    schemaVersion: opened.schemaVersion,
    events,
    subscriptions: new SqliteSubscriptionStore(thread),
    users: new SqliteUserStore(thread),
    check: async () => (await thread.read<string[]>({ task: 'check' })).filter(line => line !== 'ok'),
    close: async () => {
      await events.finish()
      await thread.close()
    },
  }
}
