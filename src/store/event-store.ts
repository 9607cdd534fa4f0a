import { AppError } from '../model/app-error.js'
import type { NewEvent, Provenance } from '../model/events/event.js'
import type { EventFacets, FacetQuery } from '../model/events/event-facets.js'
import type { EventHistogram, HistogramQuery } from '../model/events/event-histogram.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'
import type { Problem } from '../model/ledger-verification.js'
import type { CaptureState } from '../model/subscriptions/subscription.js'
import type { Micros } from '../model/timestamp.js'

/** An event to record, with what the ledger adds to it. */
export interface EventToRecord {
  event: NewEvent
  provenance: Provenance
  /**
   * The complete event as JSON in UTF-8, if the caller has serialised it; `event.payload` is then empty. With
   * `RESERVED_BYTES` around it, its buffer belongs to the store from now on.
   */
  json?: Uint8Array | undefined
  /** The subscriptions that it matches. Their `last_event_at` and cursor change in the same transaction. */
  matches: SubscriptionMatch[]
}

export interface SubscriptionMatch {
  id: string
  /** Newest message id of a chat topic: `last_cursor` becomes this, unless it is already higher. */
  cursor?: string
  /** The event was captured for this subscription: a repeat is marked with the subscription as well. */
  isCaptured?: true
  /** In the last event of a captured page: these members of `capture` change, even if the event is a repeat. */
  captured?: CaptureState
  /** Lease on capturing it, if several servers may: the event is recorded only while this is the newest lease. */
  lease?: Lease
}

/** The right to do work that one server alone may do. Source: docs/decisions/0068. */
export interface Lease {
  name: string
  /** Increases with each holder. */
  fence: number
}

/** Another server has changed the subscriptions since the events were matched; nothing was recorded. */
export class StaleMatches extends Error {
  override name = 'StaleMatches'
}

/** The result of one delivery. */
export interface RecordOutcome {
  /** False for a repeat. */
  created: boolean
  /** The event's own key, also if it is stored under another one (`storedKeyOf`). */
  dedupeKey: string
  seenCount: number
  /** When the event was first captured. */
  capturedAt: Micros
  /**
   * The complete stored event as JSON text, with this delivery counted; absent for an event with its own `json`, and if
   * the call has several events: the stored ones may be large, and may come from another sender.
   */
  body?: string | undefined
}

/** Removes the content of some events. */
export interface Erasure {
  /** Their `captured_at`, at most `ERASURE_LIMITS.events`. Other instants are ignored. */
  events: readonly Micros[]
  /** The event that records the erasure (`toErasureEntry`). The erased events take their mark from it. */
  entry: EventToRecord
  /** As in `EventStore.record`. */
  matchedWith?: number | undefined
}

/** Removes the content of all events up to one of them. */
export interface Pruning {
  /** Its `captured_at`. */
  through: Micros
  /**
   * How many events of the source `ledger` there were before the events were archived. Each erasure adds one, so with
   * more of them the archive may have content that was erased since.
   */
  entries?: number | undefined
  /** As in an erasure. */
  entry: EventToRecord
  /** As in `EventStore.record`. */
  matchedWith?: number | undefined
}

/** The newest event. */
export interface LedgerHead {
  capturedAt: Micros
  /** Lowercase hex; null while the events of an older release have no digests yet. */
  digest: string | null
}

/** The refusal of a pruning whose `entries` differ. */
export function erasedMeanwhile(): AppError {
  return new AppError('conflict', 'erased_meanwhile', 'Events were erased while they were archived.')
}

/** Result of a check of consecutive events. */
export interface VerifiedEvents {
  events: number
  /** The event before them; null at the beginning, and if there is none. */
  after: LedgerHead | null
  /** The newest of them; null if there is none. */
  through: LedgerHead | null
  /** Whether there are later ones. */
  hasMore: boolean
  /** Those of them that have no digest yet. */
  pending: number
  bySource: Map<string, { events: number; duplicates: number }>
  byKind: Map<string, number>
  problems: Problem[]
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

/** How far a read replica is behind, or why it cannot be read. */
export type ReplicaHealth =
  | { lagEvents: number; lagSeconds: number; problem?: undefined }
  | { lagEvents?: undefined; lagSeconds?: undefined; problem: AppError }

export interface StoreHealth {
  /** The file's path, or the address without its password. */
  database: string
  engine: 'sqlite' | 'postgres'
  head: LedgerHead | null
  epoch: string
  /** Version of the tables; a release that changes them increases it. */
  schemaVersion: number
  /** Stored, but not yet in the search index: a search reads each of them. */
  unindexedEvents: number
  /** Health of the read replica; absent without one. */
  replica?: ReplicaHealth | undefined
  /** `unavailable/store_corrupt` after a task has found damage, although the store can commit. */
  damage?: AppError | undefined
}

/**
 * Events of the ledger. This contract promises order, deduplication and checkpoints, so every engine proves them with the
 * same tests (`test/store/event-store-conformance.ts`).
 */
export interface EventStore {
  /**
   * Stores events, or counts one more delivery of those whose `storedKeyOf` is stored already. All events of a call or
   * none, durable before it resolves. `captured_at` is unique and increases in commit order, even when the clock steps
   * back. A repeat changes nothing else, except that it is marked with the subscription that it was captured for.
   *
   * @param matchedWith the version of the subscriptions (`MultiServerStore`), if several servers may change them
   * @throws AppError `unavailable/store_full`, `unavailable/store_read_only`, `unavailable/store_failed`; StaleMatches
   */
  record(events: EventToRecord[], matchedWith?: number): Promise<RecordOutcome[]>

  /**
   * The complete stored event as JSON in UTF-8, or its size if that is more than `maxBytes`.
   *
   * @param storedKey as `storedKeyOf` returns it
   */
  findByDedupeKey(storedKey: string, maxBytes: number): Promise<Uint8Array | number | undefined>

  /** The keys whose events are stored and belong to the subscription. @param storedKeys at most 10,000 */
  listKeysOf(subscriptionId: string, storedKeys: readonly string[]): Promise<string[]>

  /** One page and its checkpoint, from one snapshot. Writes run between the slices of a long search. */
  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage>

  /**
   * Counts the events in a range, exactly and from one snapshot. With a filter by source alone, the answer comes from
   * stored counts. Other filters are applied event by event, newest first, in slices as in `query`, up to a bound.
   */
  histogram(query: HistogramQuery, signal?: AbortSignal): Promise<EventHistogram>

  /** Counts the values of the matching events, newest events first, in slices as in `query`, up to a bound. */
  facets(query: FacetQuery, signal?: AbortSignal): Promise<EventFacets>

  /** From stored counters, never by counting rows. */
  stats(): Promise<LedgerStats>

  /**
   * Checks up to `limit` events after `since`, oldest first. Each must have its number, its columns and its digest; for
   * some, the check includes the search index. Writes run between its slices.
   *
   * @param since null: the beginning; otherwise an event must have been captured then, or that is a problem
   */
  verify(range: { since: Micros | null; limit: number }, signal?: AbortSignal): Promise<VerifiedEvents>

  /**
   * Proves that the store can commit.
   *
   * @param options `withoutProof`: for a ledger in PostgreSQL that was moved, which can only be read
   * @throws AppError `unavailable/…` when it cannot
   */
  health(options?: { withoutProof?: boolean }): Promise<StoreHealth>
}

/**
 * Removes the content of events. Keys, sources, kinds, times, counts and digests stay: a later delivery is a repeat, and the
 * chain of digests can still be verified. Tests: `test/store/erasure-conformance.ts`. Source: docs/decisions/0054, 0055.
 */
export interface ContentRemoval {
  /**
   * Removes the content of events that have any, and records the entry, in one transaction. Pages then contain
   * tombstones (`toTombstone`). A SQLite file no longer contains the content when this resolves, or, if a copy is in
   * progress, when that ends; PostgreSQL overwrites it later.
   *
   * @returns the outcome for the entry @throws as `record`
   */
  erase(erasure: Erasure): Promise<RecordOutcome>

  /**
   * Removes the content of all events up to one, and records the entry, in one transaction. Pages no longer contain the
   * events; a lookup by key returns a tombstone. The file loses the content later, in slices between writes.
   *
   * @returns the outcome for the entry @throws as `record`; AppError `conflict/erased_meanwhile`
   */
  prune(pruning: Pruning): Promise<RecordOutcome>
}
