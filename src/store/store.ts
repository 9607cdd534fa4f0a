import type { ConsumerStore } from './consumer-store.js'
import type { EventStore } from './event-store.js'
import type { SubscriptionStore } from './subscription-store.js'
import type { UserStore } from './user-store.js'

/** One opened ledger database. */
export interface Store {
  readonly events: EventStore
  readonly subscriptions: SubscriptionStore
  readonly consumers: ConsumerStore
  readonly users: UserStore
  /** Stores what was accepted, then closes the database. */
  close(): Promise<void>
}
