import { AppError } from '../model/app-error.js'
import type { NewEvent, Provenance, StoredEvent } from '../model/event.js'
import type { EventPage, EventQuery } from '../model/event-query.js'
import type { Subscription } from '../model/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { EventToRecord, LedgerStats, RecordOutcome, StoreHealth } from '../store/event-store.js'
import type { Store } from '../store/store.js'
import { LiveFeed } from './live-feed.js'
import { readSubscription } from './read-subscription.js'
import { SubscriptionMatcher } from './subscription-matcher.js'

/** One arrival of an event, with how it came. */
export interface EventDelivery {
  event: NewEvent
  provenance: Provenance
}

export interface LedgerOptions {
  store: Store
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** A fresh identifier for a subscription. */
  newSubscriptionId: () => string
}

/** What happened, and what is watched. Knows neither HTTP nor SQL. */
export class Ledger {
  readonly #feed = new LiveFeed()
  /** Saves merge what was read with what was sent, so each waits for the one before. */
  #saving: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly options: LedgerOptions,
    private readonly matcher: SubscriptionMatcher,
  ) {}

  /** Opens the ledger over a store that is open. */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const matcher = new SubscriptionMatcher()
    for (const subscription of await options.store.subscriptions.list()) matcher.put(subscription)
    return new Ledger(options, matcher)
  }

  /**
   * Records deliveries in one durable transaction, all or nothing; wakes the readers that wait.
   *
   * @throws AppError `unavailable/…` when the store cannot commit
   */
  async record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]> {
    const now = this.options.clock()
    const events = deliveries.map(({ event, provenance }) => ({
      event,
      provenance,
      matches: this.matcher.match(event, now),
    }))
    const outcomes = await this.options.store.events.record(events)
    if (this.#feed.hasListeners) this.#feed.publish(freshEvents(events, outcomes))
    return outcomes
  }

  /** @returns the stored event's JSON text. @throws AppError `not_found/not_found` */
  async getEvent(dedupeKey: string): Promise<string> {
    const body = await this.options.store.events.findByDedupeKey(dedupeKey)
    if (body === undefined) {
      throw new AppError('not_found', 'not_found', `No event has the dedupe key "${dedupeKey}".`)
    }
    return body
  }

  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    return this.options.store.events.query(query, signal)
  }

  /**
   * Long poll: the page of a query with `since`, held back while it is empty, until something matches, `seconds` are
   * over or the signal aborts.
   */
  async waitFor(query: EventQuery, seconds: number, signal?: AbortSignal): Promise<EventPage> {
    const deadline = performance.now() + seconds * 1000
    const waiting = this.#feed.listen(query)
    try {
      let page = await this.query(query, signal)
      while (page.count === 0 && !signal?.aborted) {
        const left = deadline - performance.now()
        if (left <= 0) break
        await waiting.next(signal, left)
        if (!signal?.aborted) page = await this.query({ ...query, ...checkpointOf(page) }, signal)
      }
      return page
    } finally {
      waiting.end()
    }
  }

  /**
   * Every matching event after `query.since`, or after the head as it is now: page by page, for ever, until the signal
   * aborts. The next page is read when the consumer asks for it. Each page's `nextSince` is the checkpoint after it.
   */
  async *follow(query: EventQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    const waiting = this.#feed.listen(query)
    try {
      let since = query.since ?? (await this.query({ order: 'desc', limit: 1 }, signal)).head ?? 0
      while (!signal.aborted) {
        const page = await this.query({ ...query, order: 'asc', since }, signal)
        since = page.nextSince ?? since
        yield page
        if (!page.hasMore) await waiting.next(signal)
      }
    } finally {
      waiting.end()
    }
  }

  /**
   * Creates a subscription, or merges into the one with the same id.
   *
   * @throws AppError `invalid/invalid_field`, `invalid/invalid_timestamp`
   */
  saveSubscription(input: unknown): Promise<{ created: boolean; subscription: Subscription }> {
    const saved = this.#saving.then(() => this.#save(input))
    this.#saving = saved.catch(() => undefined) // its caller has the error; the next save begins anyway
    return saved
  }

  /** @throws AppError `not_found/not_found` */
  async getSubscription(id: string): Promise<Subscription> {
    const subscription = await this.options.store.subscriptions.findById(id)
    if (!subscription) throw unknownSubscription(id)
    return subscription
  }

  listSubscriptions(): Promise<Subscription[]> {
    return this.options.store.subscriptions.list()
  }

  /** Events that it matched stay. @throws AppError `not_found/not_found` */
  async deleteSubscription(id: string): Promise<void> {
    if (!(await this.options.store.subscriptions.delete(id))) throw unknownSubscription(id)
    this.matcher.remove(id)
  }

  stats(): Promise<LedgerStats> {
    return this.options.store.events.stats()
  }

  health(): Promise<StoreHealth> {
    return this.options.store.events.health()
  }

  async #save(input: unknown) {
    const { store, newSubscriptionId, clock } = this.options
    const sentId = idOf(input)
    const stored = sentId === undefined ? undefined : await store.subscriptions.findById(sentId)
    const id = sentId ?? newSubscriptionId()
    const saved = await store.subscriptions.save(readSubscription(input, stored, { id, now: toTimestamp(clock()) }))
    this.matcher.put(saved.subscription)
    return saved
  }
}

function checkpointOf(page: EventPage): { since?: Micros } {
  return page.nextSince === null ? {} : { since: page.nextSince }
}

function idOf(input: unknown): string | undefined {
  const id = typeof input === 'object' && input !== null ? Reflect.get(input, 'id') : undefined
  return typeof id === 'string' ? id : undefined
}

function freshEvents(events: readonly EventToRecord[], outcomes: readonly RecordOutcome[]): StoredEvent[] {
  return events.flatMap(({ event, provenance, matches }, at) => {
    const outcome = outcomes[at]
    if (!outcome?.created) return []
    const captured_at = toTimestamp(outcome.capturedAt)
    const subscription_ids = matches.map(match => match.id)
    return [{ ...event, subscription_ids, provenance, captured_at, seen_count: 1, last_seen_at: captured_at }]
  })
}

function unknownSubscription(id: string): AppError {
  return new AppError('not_found', 'not_found', `There is no subscription "${id}".`, {
    hint: 'List them with `daybook api subscriptions`.',
  })
}
