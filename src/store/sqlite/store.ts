import type { AppError } from '../../model/app-error.js'
import { isRange } from '../../model/events/event-query.js'
import { SerialQueue } from '../../model/serial-queue.js'
import type { Micros } from '../../model/timestamp.js'
import type { Store } from '../store.js'
import { type CopySource, copyToNewFile } from './files/new-copy.js'
import { shareUserReads } from './tasks/shared-user-reads.js'
import { type LedgerFile, StoreThread, type StoreThreadOptions } from './thread/store-thread.js'
import type { Leftover } from './upgrade/leftovers.js'
import type { Upgrade } from './upgrade/migrate.js'
import { EventGroups } from './write/event-groups.js'

/** A ledger in one SQLite file. */
export interface SqliteStore extends Store {
  /** When it was last restored from a backup, in epoch milliseconds; undefined if never. */
  readonly restoredAt: number | undefined
  /** Rows of an older ledger that could not be carried over. */
  readonly leftovers: readonly Leftover[]
  /** Upgrade of a ledger that an older release had written. */
  readonly upgrade: Upgrade | undefined
  /** Resolves when a task has found damage in the file: `unavailable/store_corrupt`. */
  readonly damaged: Promise<AppError>
  /** Checks the whole file for damage; writes wait. @returns the findings, none for a file without damage */
  check(): Promise<string[]>
  /** Checks that the open files are still those on the disk. @throws AppError `unavailable/ledger_lost` */
  verify(): Promise<void>
  /**
   * Copies the committed state at its start to a new file, while the ledger is read and written.
   *
   * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/…`; an `AbortError`
   */
  copyTo(path: string, signal?: AbortSignal): Promise<void>
}

interface SqliteStoreOptions extends LedgerFile, StoreThreadOptions {
  /** Wall clock in microseconds. It may step back; `captured_at` does not. */
  clock: () => Micros
  /**
   * Number of groups of events that may be in progress to the store's thread; 8 if absent. All that wait there become
   * one commit, each group with the instant at which it was sent.
   */
  groupsInProgress?: number
}

/**
 * Opens the ledger file, and upgrades an older schema. The caller owns the file (`owner/database-lock.ts`).
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`, `configuration/upgrade_no_room`
 *
 * Source: Event Ledger Service, "Storage".
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { thread, facts } = await StoreThread.open(options)
  const { events, subscriptions, consumers, sources, notes, users, copies, file } = thread.stores
  const groups = new EventGroups(thread, options)
  const sharedUsers = shareUserReads(users)
  const { restoredAt, schemaVersion, leftovers, upgrade } = facts
  const source: CopySource = { from: options.path, begin: file.beginCopy, check: file.checkCopy }
  // One after the other: the end of a copy lets the file change.
  const fileCopies = new SerialQueue()
  return {
    schemaVersion,
    restoredAt,
    leftovers,
    upgrade,
    damaged: thread.damaged,
    events: {
      ...events,
      record: toRecord => groups.record(toRecord),
      query: (query, signal) => (isRange(query) ? events.queryRange(query, signal) : events.query(query, signal)),
      health: async () => {
        const head = await groups.checkWritable()
        const { damage } = thread
        return { database: options.path, engine: 'sqlite', head, schemaVersion, ...(await events.facts()), damage }
      },
    },
    removal: {
      erase: async erasure => {
        const outcome = await groups.erase(erasure)
        await events.emptyWal()
        return outcome
      },
      prune: pruning => groups.prune(pruning),
    },
    subscriptions,
    consumers,
    sources,
    notes,
    users: sharedUsers,
    copies: {
      ...copies,
      write: async step => {
        const head = await copies.write(step)
        groups.noteCopied(head)
        if (step.changed.some(({ contentDigest }) => contentDigest !== null)) await events.emptyWal()
        return head
      },
      writeState: state => copies.writeState(state).finally(sharedUsers.forgetClosed),
      writeMovedState: state => copies.writeMovedState(state).finally(sharedUsers.forgetClosed),
      beginFollow: (...parts) => copies.beginFollow(...parts).finally(sharedUsers.forgetClosed),
    },
    check: async () => (await file.check()).filter(line => line !== 'ok'),
    verify: file.verify,
    copyTo: (path, signal) => fileCopies.run(() => copyToNewFile(path, { ...source, signal }).finally(file.endCopy)),
    close: async () => {
      await groups.finish()
      await thread.close()
    },
  }
}
