import type { AccountLogEntry } from '../../model/accounts/account-log.js'
import type { EventHistogram, HistogramQuery } from '../../model/events/event-histogram.js'
import type { EventPage, EventQuery } from '../../model/events/event-query.js'
import type { Failure } from '../../model/failure.js'
import type { CaptureState, Subscription } from '../../model/subscriptions/subscription.js'
import type { Micros } from '../../model/timestamp.js'
import type { LedgerKept } from '../subscription-store.js'
import type { LastAdminRule, StoredToken, StoredUser, UserChanges } from '../user-store.js'
import type { PackedRows } from './packed-rows.js'

/** Changes to the ledger. All that wait share one transaction, so what one of them is refused is its result. */
export type WriteTask = Change | AccountChange

type Change =
  | { task: 'record'; rows: PackedRows; now: Micros }
  | { task: 'save_subscription'; subscription: Subscription; overwrite: readonly LedgerKept[] }
  | { task: 'delete_subscription'; subscriptionId: string }
  | { task: 'note_capture'; subscriptionId: string; changes: CaptureState; cursor?: string }
  | { task: 'probe' }
  | { task: 'mark_closed' }
  | { task: 'note_token_use'; tokenId: string; at: string }
  | { task: 'log_account'; entry: AccountLogEntry }

/** A change of users and tokens, and what the account log says of it once it is made. */
export type AccountChange = { log?: AccountLogEntry | undefined } & (
  | { task: 'create_user'; user: StoredUser }
  | { task: 'update_user'; userId: string; changes: UserChanges; rule: LastAdminRule }
  | { task: 'delete_user'; userId: string; rule: LastAdminRule }
  | { task: 'add_token'; token: StoredToken; keep: number }
  | { task: 'delete_token'; userId: string; tokenId: string }
  | { task: 'delete_tokens'; userId: string }
)

/** Questions that are answered at once. */
export type ReadTask =
  | { task: 'find_event'; dedupeKey: string; maxBytes: number }
  | { task: 'list_keys_of'; subscriptionId: string; storedKeys: readonly string[] }
  | { task: 'stats' }
  | { task: 'find_subscription'; subscriptionId: string }
  | { task: 'list_subscriptions_by_ids'; ids: readonly string[] }
  | { task: 'list_subscriptions'; owner?: string }
  | { task: 'page_subscriptions'; owner?: string; after?: string; limit: number }
  | { task: 'count_subscriptions'; owner: string | null }
  | { task: 'is_closed' }
  | { task: 'find_user'; userId: string }
  | { task: 'find_user_by_name'; username: string }
  | { task: 'list_users' }
  | { task: 'find_token'; digest: string }
  | { task: 'list_tokens'; userId: string }
  | { task: 'list_account_log'; limit: number }
  | { task: 'verify' }
  | { task: 'check' }

/** Questions that are answered in slices, so that writes go on meanwhile. */
export type QueryTask = { task: 'query'; query: EventQuery } | { task: 'histogram'; query: HistogramQuery }

export type QueryAnswer = EventPage | EventHistogram

export type StoreTask = WriteTask | ReadTask | QueryTask

export type StoreRequest =
  | { id: number; kind: 'write'; task: WriteTask }
  | { id: number; kind: 'read'; task: ReadTask }
  | { id: number; kind: 'query'; task: QueryTask }
  | { id: number; kind: 'abort' }
  | { id: number; kind: 'close' }

export type StoreReply = { id: number; result: unknown } | { id: number; error: Failure }

/** The files on the disk are no longer those that are open; see `DatabaseKind.onLost`. */
export interface StoreLost {
  /** Path of the database. */
  database: string
  lost: Failure
  isOver: boolean
}

/** What the thread opens. */
export interface StoreFile {
  path: string
  /** In the owner record that has to lie beside it. */
  ownerNonce?: string | undefined
}

/** What the thread says once the database is open. */
export interface StoreOpened {
  epoch: string
  schemaVersion: number
  leftovers: Leftover[]
}

/** A table of an older ledger with rows that could not be carried over. */
export interface Leftover {
  table: string
  /** How many rows were left for which reason, where that is known. */
  reasons: Record<string, number>
}
