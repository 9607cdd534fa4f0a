import type { ConsumerStore } from './consumer-store.js'
import type { CopyStore } from './copy-store.js'
import type { ContentRemoval, EventStore } from './event-store.js'
import type { MultiServerStore } from './multi-server-store.js'
import type { NoteStore } from './note-store.js'
import type { SourceStore } from './source-store.js'
import type { SubscriptionStore } from './subscription-store.js'
import type { UserStore } from './user-store.js'

/** One opened ledger database. */
export interface Store {
  /** Version of the tables; a release that changes them increases it. */
  readonly schemaVersion: number
  readonly events: EventStore
  readonly removal: ContentRemoval
  readonly subscriptions: SubscriptionStore
  readonly consumers: ConsumerStore
  readonly sources: SourceStore
  readonly notes: NoteStore
  readonly users: UserStore
  /** Absent where only this process has the ledger open. */
  readonly multiServer?: MultiServerStore
  readonly copies: CopyStore
  /** Stores what was accepted, then closes the database. */
  close(): Promise<void>
}
