import type { Subscription } from '../model/subscriptions/subscription.js'
import type { Micros } from '../model/timestamp.js'
import type { Lease } from './event-store.js'
import type { LedgerSessionStore } from './ledger-session-store.js'
import type { LoginFailureStore } from './login-failure-store.js'

/** Subscriptions that were changed after a version. */
export interface SubscriptionChanges {
  /** The newest version. */
  version: number
  saved: Subscription[]
  /** Ids. */
  deleted: string[]
}

/** Coordinates the servers that share a ledger. */
export interface MultiServerStore {
  readonly sessions: LedgerSessionStore
  readonly loginFailures: LoginFailureStore

  /** The clock that all servers share. */
  now(): Micros

  /**
   * The changes of subscriptions by any server after a version; with undefined all subscriptions, without the deleted ones,
   * whose number only rises.
   */
  subscriptionChanges(since: number | undefined): Promise<SubscriptionChanges>

  /**
   * Calls the listener, until the store is closed, after other servers have recorded events; sometimes also when none have.
   */
  onEvents(listener: () => void): void

  /**
   * Calls the listener, until the store is closed, with the name of a consumer that another server has changed; with
   * undefined if any consumer may have changed.
   */
  onConsumerChange(listener: (name: string | undefined) => void): void

  /** Size of all tables of the ledger, with their indexes. */
  sizeBytes(): Promise<number>

  /**
   * Makes the partitions of this month and the next ones.
   *
   * @returns the names of the new ones
   * @throws AppError `unavailable/store_forbidden` for a role that may not create tables
   */
  makePartitions(now: Micros): Promise<string[]>

  /** Acquires the lease on work that one server alone may do. @returns undefined while another server holds it */
  acquireLease(name: string, seconds: number): Promise<Lease | undefined>
  /** @returns false if it was released, or another server holds it now */
  renewLease(lease: Lease, seconds: number): Promise<boolean>
  releaseLease(lease: Lease): Promise<void>
  /** Whether any server holds the lease. */
  isLeaseHeld(name: string): Promise<boolean>
}
