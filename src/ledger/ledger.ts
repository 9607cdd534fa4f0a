import type { NewEvent, Provenance } from '../model/event.js'
import type { EventPage, EventQuery } from '../model/event-query.js'
import type { Subscription } from '../model/subscription.js'
import type { LedgerStats, RecordOutcome, StoreHealth } from '../store/event-store.js'

/** One arrival of an event, with how it came. */
export interface EventDelivery {
  event: NewEvent
  provenance: Provenance
}

export declare class Ledger {
  /** Records deliveries in one durable transaction, all or nothing; wakes the readers that wait. */
  record(deliveries: EventDelivery[]): Promise<RecordOutcome[]>
  /** @returns the stored event's JSON text. @throws AppError `not_found/event_unknown` */
  getEvent(dedupeKey: string): Promise<string>
  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage>
  /** Long poll: `query` (which has `since`), held until something matches or `seconds` are over. */
  waitFor(query: EventQuery, seconds: number, signal?: AbortSignal): Promise<EventPage>
  /** Every matching event after `query.since` (or after the head as it is now), page by page, for ever, until aborted. Pulls: the next page is read when the consumer asks for it. Each page's `nextSince` is the checkpoint after it; pages may be empty (they still move the checkpoint). */
  follow(query: EventQuery, signal: AbortSignal): AsyncGenerator<EventPage>
  saveSubscription(input: unknown): Promise<{ created: boolean; subscription: Subscription }>
  getSubscription(id: string): Promise<Subscription>
  listSubscriptions(): Promise<Subscription[]>
  deleteSubscription(id: string): Promise<void>
  stats(): Promise<LedgerStats>
  health(): Promise<StoreHealth>
}
