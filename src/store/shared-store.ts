import type { Subscription } from '../model/subscriptions/subscription.js'
import type { Lease } from './event-store.js'

/** Subscriptions that were changed after a version. */
export interface SubscriptionChanges {
  /** The newest version. */
  version: number
  saved: Subscription[]
  /** Ids. */
  deleted: string[]
}

/** What servers that share a ledger have to agree on. */
export interface SharedStore {
  /** The changes of subscriptions by any server. Version 0 is before all of them. */
  subscriptionChanges(since: number): Promise<SubscriptionChanges>

  /**
   * Calls the listener after other servers have recorded events; sometimes also when none have.
   *
   * @returns to listen no longer
   */
  onEvents(listener: () => void): () => void

  /** Takes the right to work that one server alone may do. @returns undefined while another one has it */
  acquireLease(name: string, seconds: number): Promise<Lease | undefined>
  /** @returns false if another server has it by now */
  renewLease(lease: Lease, seconds: number): Promise<boolean>
  releaseLease(lease: Lease): Promise<void>
}
