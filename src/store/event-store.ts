import type { AppError } from '../model/app-error.js'
import type { NewEvent, Provenance } from '../model/events/event.js'
import type { EventHistogram, HistogramQuery } from '../model/events/event-histogram.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'
import type { CaptureState } from '../model/subscriptions/subscription.js'
import type { Micros } from '../model/timestamp.js'

/** An event on its way into the ledger, with what only the ledger can say of it. */
export interface EventToRecord {
  event: NewEvent
  provenance: Provenance
  /**
   * The whole event as JSON in UTF-8, where somebody has written it down already; `event.payload` is then empty. With
   * `RESERVED_BYTES` around it, its buffer belongs to the store from now on.
   */
  json?: Uint8Array | undefined
  /** The subscriptions that it matches. Their `last_event_at` and cursor move in the same transaction. */
  matches: SubscriptionMatch[]
}

export interface SubscriptionMatch {
  id: string
  /** Newest message id for a chat topic: `last_cursor` becomes this unless it is already beyond it. */
  cursor?: string
  /** It was captured for this subscription: a repeat is marked with it as well. */
  isCaptured?: true
  /** With the last of a page that was captured: these members of `capture` change, also when the event is a repeat. */
  captured?: CaptureState
}

/** What became of one delivery. */
export interface RecordOutcome {
  /** False for a repeat. */
  created: boolean
  /** As the event has it, also where it is stored under another (`storedKeyOf`). */
  dedupeKey: string
  seenCount: number
  /** When the event was first captured. */
  capturedAt: Micros
  /** The complete stored event as JSON text, this delivery counted; absent for an event that came with its `json`. */
  body?: string
}

export interface LedgerStats {
  event_count: number
  duplicate_count: number
  subscription_count: number
  by_source: Record<string, { events: number; duplicates: number; latest_captured_at: string | null }>
  by_kind: Record<string, number>
  first_captured_at: string | null
  latest_captured_at: string | null
}

export interface StoreHealth {
  /** The file's path, or the address without its password. */
  database: string
  engine: 'sqlite' | 'postgres'
  head: Micros | null
  epoch: string
  /** Of the tables; it rises with releases that change them. */
  schemaVersion: number
  /** `unavailable/store_corrupt` once a task met damage, although the store can commit. */
  damage?: AppError | undefined
}

/**
 * Rows of the ledger. Order, deduplication and checkpoints are promised here, so every engine proves them with the
 * same tests (`test/store/event-store-conformance.ts`).
 */
export interface EventStore {
  /**
   * Stores events, or counts one more delivery of those whose `storedKeyOf` is there already. All of one call or nothing, durable before it
   * resolves. `captured_at` is unique and increases in commit order, even when the clock steps back. A repeat changes
   * nothing else, but that it is marked with the subscription that it was captured for.
   *
   * @throws AppError `unavailable/store_full`, `unavailable/store_read_only`, `unavailable/store_failed`
   */
  record(events: EventToRecord[]): Promise<RecordOutcome[]>

  /**
   * The complete stored event as JSON in UTF-8, or its size where that is more than `maxBytes`.
   *
   * @param storedKey as `storedKeyOf` makes it
   */
  findByDedupeKey(storedKey: string, maxBytes: number): Promise<Uint8Array | number | undefined>

  /** Those of these keys whose events are stored and belong to a subscription. @param storedKeys at most 10,000 */
  listKeysOf(subscriptionId: string, storedKeys: readonly string[]): Promise<string[]>

  /** One page and its checkpoint, of one snapshot. Long searches let writes go on between slices. */
  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage>

  /**
   * How many events there are over a range, of one snapshot and exact. By source alone it is answered from kept counts;
   * other filters are asked of one event after the other, newest first, in slices as in `query`, and up to a bound.
   */
  histogram(query: HistogramQuery, signal?: AbortSignal): Promise<EventHistogram>

  /** From kept counters, never by counting rows. */
  stats(): Promise<LedgerStats>

  /** Proves that the store can commit. @throws AppError `unavailable/…` when it cannot. */
  health(): Promise<StoreHealth>
}
