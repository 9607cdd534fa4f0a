import { AppError } from '../model/app-error.js'
import type { NewEvent, Provenance } from '../model/event.js'
import type { EventHistogram, HistogramQuery } from '../model/event-histogram.js'
import type { EventPage, EventQuery } from '../model/event-query.js'
import type { CaptureState, Subscription } from '../model/subscription.js'
import type { SubscriptionPreview } from '../model/subscription-preview.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { EventToRecord, LedgerStats, RecordOutcome, StoreHealth, SubscriptionMatch } from '../store/event-store.js'
import type { Store } from '../store/store.js'
import type { LedgerKept } from '../store/subscription-store.js'
import { type FreshEvent, LiveFeed } from './live-feed.js'
import { readSubscription } from './read-subscription.js'
import { foreignSubscription, mayTouch, type SubscriptionCaller } from './subscription-caller.js'
import { SubscriptionMatcher } from './subscription-matcher.js'
import { previewSubscription } from './subscription-preview.js'
import { isPolled } from './watch-times.js'
import { withCapture } from './with-capture.js'

/** One arrival of an event, with how it came. */
export interface EventDelivery {
  event: NewEvent
  provenance: Provenance
  /**
   * The whole event as JSON in UTF-8, where writing it down took so long that it was done elsewhere. Then
   * `event.payload` is empty.
   */
  json?: Uint8Array | undefined
}

/** Some of what was said in a watched place, oldest first. */
export interface CapturedEvents {
  events: readonly NewEvent[]
  /** The server that was asked. */
  host: string
  /** When the capture began of which this is a part. */
  attemptedAt: Micros
  /** The newest message id that capture has read; `0` where there is none yet. */
  readTo: string
  /** Where the place was found. */
  followed?: Record<string, unknown> | undefined
}

/** We asked the platform ourselves, with an account of it. */
const CAPTURED: Provenance = { route: 'capture', verified: 'login' }
const NOTHING_READ = '0'

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
  readonly #matcher = new SubscriptionMatcher()
  /** Ids of the watches that capture comes back to. */
  readonly #polled = new Set<string>()
  /** Saves merge what was read with what was sent, so each change waits for the one before. */
  #changing: Promise<unknown> = Promise.resolve()

  private constructor(private readonly options: LedgerOptions) {}

  /** Opens the ledger over a store that is open. */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const ledger = new Ledger(options)
    for (const subscription of await options.store.subscriptions.list()) ledger.#takeUp(subscription)
    return ledger
  }

  /**
   * Records deliveries in one durable transaction, all or nothing; wakes the readers that wait.
   *
   * @throws AppError `unavailable/…` when the store cannot commit
   */
  record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]> {
    const now = this.options.clock()
    const events = deliveries.map(({ event, provenance, json }) => ({
      event,
      provenance,
      json,
      matches: this.#matcher.match(event, now),
    }))
    return this.#record(events)
  }

  /**
   * Records what capture has read of a watch, and how far it has read, in one transaction. The events are marked with
   * the watch although its topic may have another name by now, repeats as well. From then on, what arrives by itself is
   * matched where the place was found.
   *
   * @throws AppError as `record`
   *
   * Source: docs/decisions/0009.
   */
  async recordCaptured(id: string, page: CapturedEvents): Promise<RecordOutcome[]> {
    const outcomes = await this.#recordPage(id, page)
    await this.#inTurn(async () => {
      const watch = await this.options.store.subscriptions.findById(id)
      if (watch) this.#takeUp(watch)
    })
    return outcomes
  }

  async #recordPage(id: string, page: CapturedEvents): Promise<RecordOutcome[]> {
    const { events, host, attemptedAt, readTo, followed } = page
    const { store, clock } = this.options
    const place = { host, read_to: readTo, ...(followed ? { followed } : {}) }
    const changes: CaptureState = { ...place, last_attempt_at: toTimestamp(attemptedAt) }
    const now = clock()
    const toRecord = events.map((event, at): EventToRecord => {
      const isLast = at === events.length - 1
      const last = isLast ? { cursor: readTo, captured: changes } : {}
      const own: SubscriptionMatch = { id, isCaptured: true, cursor: event.subject_id, ...last }
      const others = this.#matcher.match(event, now).filter(match => match.id !== id)
      return { event, provenance: CAPTURED, matches: [...others, own] }
    })
    if (toRecord.length > 0) return this.#record(toRecord)
    await store.subscriptions.noteCapture(id, changes, readTo === NOTHING_READ ? undefined : readTo)
    return []
  }

  /** Notes how an attempt at capturing a watch went. */
  noteCapture(id: string, changes: CaptureState): Promise<void> {
    return this.options.store.subscriptions.noteCapture(id, changes)
  }

  /** @returns the stored event as JSON in UTF-8. @throws AppError `not_found/not_found` */
  async getEvent(dedupeKey: string): Promise<Uint8Array> {
    const body = await this.options.store.events.findByDedupeKey(dedupeKey)
    if (body === undefined) {
      throw new AppError('not_found', 'not_found', 'No event has this dedupe key.')
    }
    return body
  }

  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    return this.options.store.events.query(query, signal)
  }

  /** How many events there are over a range, by source. A range that is open at its end goes up to now. */
  histogram(query: Omit<HistogramQuery, 'now'>, signal?: AbortSignal): Promise<EventHistogram> {
    return this.options.store.events.histogram({ ...query, now: this.options.clock() }, signal)
  }

  /**
   * Long poll: the page of a query with `since`, held back while it is empty, until something matches, `seconds` are
   * over or the signal aborts: then it is the page as it was last seen.
   *
   * @throws the signal's reason when it aborts before anything was seen
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
        if (!signal?.aborted) page = await this.#lookAgain(query, page, signal)
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
   * @throws AppError `forbidden/forbidden` over another member's, `invalid/invalid_field`, `invalid/invalid_timestamp`
   */
  saveSubscription(
    input: unknown,
    caller: SubscriptionCaller = OPEN,
  ): Promise<{ created: boolean; subscription: Subscription }> {
    return this.#inTurn(() => this.#save(input, caller))
  }

  /**
   * What a subscription would have matched in the last days, if it were saved as it is sent. Nothing is stored.
   *
   * @throws AppError as `saveSubscription`
   */
  async previewSubscription(
    input: unknown,
    caller: SubscriptionCaller = OPEN,
    signal?: AbortSignal,
  ): Promise<SubscriptionPreview> {
    const { store, clock } = this.options
    const { subscription } = await this.#readOver(input, caller, () => DRAFT_ID)
    return previewSubscription(store.events, subscription, clock(), signal)
  }

  /** @throws AppError `not_found/not_found`, also where it is another member's */
  async getSubscription(id: string, caller: SubscriptionCaller = OPEN): Promise<Subscription> {
    return this.#served(await this.#findFor(caller, id))
  }

  /** Those that the caller may see. */
  async listSubscriptions(caller: SubscriptionCaller = OPEN): Promise<Subscription[]> {
    const owner = caller.role === 'member' ? caller.userId : undefined
    const subscriptions = await this.options.store.subscriptions.list(owner)
    return subscriptions.map(subscription => this.#served(subscription))
  }

  /** The watches that capture is to come back to, as they are now. */
  async listPolled(): Promise<Subscription[]> {
    const { subscriptions } = this.options.store
    const found = await Promise.all([...this.#polled].map(id => subscriptions.findById(id)))
    return found.filter(subscription => subscription !== undefined)
  }

  /** Events that it matched stay. @throws AppError `not_found/not_found`, also where it is another member's */
  deleteSubscription(id: string, caller: SubscriptionCaller = OPEN): Promise<void> {
    return this.#inTurn(async () => {
      await this.#findFor(caller, id)
      await this.options.store.subscriptions.delete(id)
      this.#matcher.remove(id)
      this.#polled.delete(id)
    })
  }

  stats(): Promise<LedgerStats> {
    return this.options.store.events.stats()
  }

  health(): Promise<StoreHealth> {
    return this.options.store.events.health()
  }

  async #record(events: EventToRecord[]): Promise<RecordOutcome[]> {
    const outcomes = await this.options.store.events.record(events)
    if (this.#feed.hasListeners) this.#feed.publish(freshEvents(events, outcomes))
    return outcomes
  }

  async #lookAgain(query: EventQuery, page: EventPage, signal: AbortSignal | undefined): Promise<EventPage> {
    try {
      return await this.query({ ...query, ...checkpointOf(page) }, signal)
    } catch (error) {
      if (signal?.aborted) return page
      throw error
    }
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(change)
    this.#changing = changed.catch(() => undefined) // its caller has the error; the next change begins anyway
    return changed
  }

  async #findFor(caller: SubscriptionCaller, id: string): Promise<Subscription> {
    const subscription = await this.options.store.subscriptions.findById(id)
    if (!subscription || !mayTouch(caller, subscription)) throw unknownSubscription()
    return subscription
  }

  async #save(input: unknown, caller: SubscriptionCaller) {
    const { store, newSubscriptionId } = this.options
    const { subscription, stored } = await this.#readOver(input, caller, newSubscriptionId)
    // Events move these two meanwhile, so only a value that was set goes before what is stored by then.
    const set = MOVED_BY_EVENTS.filter(member => subscription[member] !== (stored?.[member] ?? null))
    const saved = await store.subscriptions.save(subscription, set)
    this.#takeUp(saved.subscription)
    return { ...saved, subscription: this.#served(saved.subscription) }
  }

  /** What is sent, over what is stored under its id. */
  async #readOver(input: unknown, caller: SubscriptionCaller, newId: () => string) {
    const { store, clock } = this.options
    const sentId = idOf(input)
    const stored = sentId === undefined ? undefined : await store.subscriptions.findById(sentId)
    if (stored && !mayTouch(caller, stored)) throw foreignSubscription()
    const id = sentId ?? newId()
    return { stored, subscription: readSubscription(input, stored, { id, now: toTimestamp(clock()), caller }) }
  }

  #takeUp(subscription: Subscription): void {
    this.#matcher.put(subscription)
    if (isPolled(subscription)) this.#polled.add(subscription.id)
    else this.#polled.delete(subscription.id)
  }

  #served(subscription: Subscription): Subscription {
    return withCapture(subscription, this.options.clock())
  }
}

const OPEN: SubscriptionCaller = { role: 'open' }
/** Of what is not going to be stored. */
const DRAFT_ID = 'draft'
const MOVED_BY_EVENTS = ['last_cursor', 'last_event_at'] as const satisfies readonly LedgerKept[]

function checkpointOf(page: EventPage): { since?: Micros } {
  return page.nextSince === null ? {} : { since: page.nextSince }
}

function idOf(input: unknown): string | undefined {
  const id = typeof input === 'object' && input !== null ? Reflect.get(input, 'id') : undefined
  return typeof id === 'string' ? id : undefined
}

function freshEvents(events: readonly EventToRecord[], outcomes: readonly RecordOutcome[]): FreshEvent[] {
  return events.flatMap(({ event, provenance, matches, json }, at) => {
    const outcome = outcomes[at]
    if (!outcome?.created) return []
    const captured_at = toTimestamp(outcome.capturedAt)
    const subscription_ids = matches.map(match => match.id)
    const stored = { ...event, subscription_ids, provenance, captured_at, seen_count: 1, last_seen_at: captured_at }
    return [{ event: stored, isWhole: json === undefined }]
  })
}

function unknownSubscription(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such subscription.', {
    hint: 'List them with `daybook api subscriptions`.',
  })
}
