import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import {
  type NewEvent,
  type Provenance,
  type StoredEvent,
  toUnverifiedKey,
  VERIFICATIONS,
  type Verification,
} from '../model/events/event.js'
import type { EventHistogram, HistogramQuery } from '../model/events/event-histogram.js'
import { UNVERIFIED_KEYS } from '../model/events/event-limits.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'
import {
  type CaptureState,
  SUBSCRIPTION_LIMITS,
  type Subscription,
  type SubscriptionPage,
} from '../model/subscriptions/subscription.js'
import type { SubscriptionPreview } from '../model/subscriptions/subscription-preview.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { EventToRecord, LedgerStats, RecordOutcome, StoreHealth, SubscriptionMatch } from '../store/event-store.js'
import type { Store } from '../store/store.js'
import type { LedgerKept } from '../store/subscription-store.js'
import { KnownPeople } from './known-people.js'
import { type FreshEvent, LiveFeed } from './live-feed.js'
import { completeForms, readSubscription } from './read-subscription.js'
import { foreignSubscription, mayChange, type SubscriptionCaller } from './subscription-caller.js'
import { SubscriptionMatcher } from './subscription-matcher.js'
import { previewSubscription } from './subscription-preview.js'
import { isPolled } from './watch-times.js'
import { withCapture } from './with-capture.js'

/** One arrival of an event, with its provenance. */
export interface EventDelivery {
  event: NewEvent
  provenance: Provenance
  /** The whole event as JSON in UTF-8, if serialising it was left to another thread. Then `event.payload` is empty. */
  json?: Uint8Array | undefined
}

/** Part of what a capture read in a watched place, oldest first. */
export interface CapturedEvents {
  events: readonly NewEvent[]
  /** The server that was asked. */
  host: string
  /** When the capture that this is part of began. */
  attemptedAt: Micros
  /** Newest message id that the capture has read; `0` for none yet. */
  readTo: string
  /** Where the next capture starts to read again. */
  reread?: NonNullable<CaptureState['reread']> | undefined
  /** Where the place was found. */
  followed?: Record<string, unknown> | undefined
}

/** We asked the platform ourselves, logged in to an account. */
const CAPTURED: Provenance = { route: 'capture', verified: 'login' }
const NOTHING_READ = '0'
/** Events up to this size are read without reserving memory for them. */
const SMALL_EVENT_BYTES = 16 * 1024
/** Enough to know the people who take part at the moment. */
const PEOPLE_FROM_EVENTS = 500
const PROVED: readonly Verification[] = VERIFICATIONS.filter(verified => verified !== 'none')
const PLATFORMS = ['chat', 'forum', 'code_a', 'code_b']

/** Reads a page of events, maybe once there is room for it. */
export type ReadPage = (query: EventQuery, signal?: AbortSignal) => Promise<EventPage>

export interface LedgerOptions {
  store: Store
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** A fresh identifier for a subscription. */
  newSubscriptionId: () => string
  /** How many subscriptions an owner may have, and how many may have no owner; `SUBSCRIPTION_LIMITS.perOwner` when absent. */
  maxSubscriptions?: number | undefined
}

/** Events and subscriptions. Knows neither HTTP nor SQL. */
export class Ledger {
  /** Subscriptions that were stored incomplete or damaged, found when the ledger was opened. */
  readonly withProblems: Subscription[] = []
  /** Why the newest events could not be read when the ledger was opened. The names in them are then unknown. */
  unreadEvents: AppError | undefined
  /** The newest `captured_at` when the ledger was opened; null in an empty ledger, and where it could not be read. */
  headAtOpen: Micros | null = null
  readonly #feed = new LiveFeed()
  readonly #matcher = new SubscriptionMatcher()
  readonly #people = new KnownPeople()
  /** Ids of the watches that capture polls. */
  readonly #polled = new Set<string>()
  /** A save merges stored and sent values, so each change waits for the one before it. */
  #changing: Promise<unknown> = Promise.resolve()

  private constructor(private readonly options: LedgerOptions) {}

  /** Opens the ledger over an open store. */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const ledger = new Ledger(options)
    const { subscriptions } = options.store
    const incomplete: Subscription[] = []
    for (const stored of await subscriptions.list()) {
      if (stored.problem !== undefined) ledger.withProblems.push(stored)
      // A subscription that could not be read whole is not written back.
      const subscription = stored.problem === undefined ? completeForms(stored) : stored
      if (subscription !== stored) incomplete.push(subscription)
      ledger.#takeUp(subscription)
    }
    for (const subscription of incomplete) await subscriptions.save(subscription)
    await ledger.#learnPeople()
    return ledger
  }

  /**
   * Learns from the newest events, as they were completed when recorded. A damaged row does not prevent opening the
   * ledger.
   */
  async #learnPeople(): Promise<void> {
    const newest = { order: 'desc', limit: PEOPLE_FROM_EVENTS, sources: PLATFORMS, withoutPayload: true } as const
    // Separately, so that unproved events cannot push out proved ones.
    for (const verified of [['none'], PROVED] as const) {
      const found = await this.options.store.events.query({ ...newest, verified }).catch(error => {
        if (!(error instanceof AppError)) throw error
        this.unreadEvents = error
      })
      if (found) this.headAtOpen = found.head
      const items = found?.items ?? new Uint8Array()
      const events: StoredEvent[] = JSON.parse(`[${Buffer.from(items).toString('utf8')}]`)
      for (const event of events.reverse()) this.#people.learn(event, event.provenance)
    }
  }

  /**
   * Records deliveries in one durable transaction, all or nothing; wakes the readers that wait. An event of the key
   * space `unverified` lists the subscriptions it matches but moves no cursor: capture would skip messages.
   *
   * @throws AppError `unavailable/…` when the store cannot commit
   */
  record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]> {
    const now = this.options.clock()
    const events = deliveries.map(({ event: sent, provenance, json }) => {
      // An event that is already serialised stays as it is.
      const event = json === undefined ? this.#people.complete(sent, provenance) : sent
      return { event, provenance, json, matches: matchesOf(provenance, this.#matcher.match(event, now)) }
    })
    return this.#record(events)
  }

  /**
   * Records what capture has read of a watch, and how far it has read, in one transaction. All events, repeats
   * included, are marked with the watch, even if its topic has been renamed since. From then on, deliveries are matched
   * in the place where capture found it.
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
    const { events, host, attemptedAt, readTo, reread, followed } = page
    const { store, clock } = this.options
    const place = { host, read_to: readTo, ...(reread ? { reread } : {}), ...(followed ? { followed } : {}) }
    const changes: CaptureState = { ...place, last_attempt_at: toTimestamp(attemptedAt) }
    const now = clock()
    const toRecord = events.map((sent, at): EventToRecord => {
      const event = this.#people.complete(sent, CAPTURED)
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

  /** Records the outcome of an attempt to capture a watch. */
  noteCapture(id: string, changes: CaptureState): Promise<void> {
    return this.options.store.subscriptions.noteCapture(id, changes)
  }

  /**
   * @param dedupeKey an event that arrived with proof takes precedence over one of a caller without credentials, which
   *   `unverified:<dedupe_key>` always names
   * @param admit awaited before an event of more than `SMALL_EVENT_BYTES` is read, with its size
   * @returns the stored event as JSON in UTF-8
   * @throws AppError `not_found/not_found`; as `admit`
   */
  async getEvent(dedupeKey: string, admit: (bytes: number) => Promise<void> = async () => {}): Promise<Uint8Array> {
    const isUnverified = dedupeKey.startsWith(UNVERIFIED_KEYS)
    const found = await this.#findEvent(dedupeKey, admit)
    const body = found || isUnverified ? found : await this.#findEvent(toUnverifiedKey(dedupeKey), admit)
    if (body === undefined) {
      throw new AppError('not_found', 'not_found', 'No event has this dedupe key.')
    }
    return body
  }

  /** Filters dedupe keys: keeps those whose stored events belong to the subscription. */
  listKeysOf(subscriptionId: string, dedupeKeys: readonly string[]): Promise<string[]> {
    return this.options.store.events.listKeysOf(subscriptionId, dedupeKeys)
  }

  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    return this.options.store.events.query(query, signal)
  }

  /** Counts events over a range, by source. A range with no end goes up to now. */
  histogram(query: Omit<HistogramQuery, 'now'>, signal?: AbortSignal): Promise<EventHistogram> {
    return this.options.store.events.histogram({ ...query, now: this.options.clock() }, signal)
  }

  /** A repeat may make an event larger while it waits to be admitted. */
  async #findEvent(storedKey: string, admit: (bytes: number) => Promise<void>): Promise<Uint8Array | undefined> {
    let maxBytes = SMALL_EVENT_BYTES
    for (;;) {
      const found = await this.options.store.events.findByDedupeKey(storedKey, maxBytes)
      if (typeof found !== 'number') return found
      await admit(found)
      maxBytes = found
    }
  }

  /**
   * Long poll: while the page of a query with `since` is empty, waits until something matches, `seconds` have passed or
   * the signal aborts. Then returns the page as last read.
   *
   * @param read reads a page; `query` when absent
   * @throws the signal's reason when it aborts before anything was seen; as `read`
   */
  async waitFor(
    query: EventQuery,
    seconds: number,
    signal?: AbortSignal,
    read: ReadPage = (query, signal) => this.query(query, signal),
  ): Promise<EventPage> {
    const deadline = performance.now() + seconds * 1000
    const waiting = this.#feed.listen(query)
    try {
      let page = await read(query, signal)
      while (page.count === 0 && !signal?.aborted) {
        const left = deadline - performance.now()
        if (left <= 0) break
        await waiting.next(signal, left)
        if (!signal?.aborted) page = await lookAgain(query, { page, signal, read })
      }
      return page
    } finally {
      waiting.end()
    }
  }

  /**
   * Yields every matching event after `query.since`, or after the current head: page by page, until the signal aborts.
   * Reads the next page when the consumer asks for it. Each page's `nextSince` is the checkpoint after it. A busy ledger
   * does not end it: it reads again a moment later.
   *
   * @param read reads a page; `query` when absent
   */
  async *follow(
    query: EventQuery,
    signal: AbortSignal,
    read: ReadPage = (query, signal) => this.query(query, signal),
  ): AsyncGenerator<EventPage> {
    const waiting = this.#feed.listen(query)
    try {
      let since =
        query.since ??
        (await whenFree(() => this.query({ order: 'desc', limit: 1, maxBytes: 0 }, signal), signal)).head ??
        0
      while (!signal.aborted) {
        const page = await whenFree(() => read({ ...query, order: 'asc', since }, signal), signal)
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
   * @throws AppError `forbidden/forbidden` for another member's, `invalid/invalid_field`, `invalid/invalid_timestamp`,
   *   `conflict/too_many_subscriptions` above the owner's limit
   */
  saveSubscription(
    input: unknown,
    caller: SubscriptionCaller = OPEN,
  ): Promise<{ created: boolean; subscription: Subscription }> {
    return this.#inTurn(() => this.#save(input, caller))
  }

  /**
   * What a subscription would have matched in the last days if it were saved as sent. Stores nothing.
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

  /** @throws AppError `not_found/not_found`, also for another member's */
  async getSubscription(id: string, caller: SubscriptionCaller = OPEN): Promise<Subscription> {
    return this.#served(await this.#findFor(caller, id))
  }

  /** The subscriptions that the caller may see. */
  async listSubscriptions(caller: SubscriptionCaller = OPEN): Promise<Subscription[]> {
    const owner = caller.role === 'member' ? caller.userId : undefined
    const subscriptions = await this.options.store.subscriptions.list(owner)
    return subscriptions.map(subscription => this.#served(subscription))
  }

  /** One page of them, ordered by id, after the id `after`. */
  async pageSubscriptions(
    caller: SubscriptionCaller,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<SubscriptionPage> {
    const found = await this.options.store.subscriptions.listPage({
      ...(caller.role === 'member' ? { owner: caller.userId } : {}),
      ...(after === undefined ? {} : { after }),
      limit: limit + 1,
    })
    const items = found.slice(0, limit).map(subscription => this.#served(subscription))
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  /** The watches that capture polls, in their current state. */
  async listPolled(): Promise<Subscription[]> {
    return this.#polled.size === 0 ? [] : this.options.store.subscriptions.listByIds([...this.#polled])
  }

  /** Its matched events stay. @throws AppError `not_found/not_found`, also for another member's */
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

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(change)
    this.#changing = changed.catch(() => undefined) // the caller gets the error; the next change starts regardless
    return changed
  }

  async #findFor(caller: SubscriptionCaller, id: string): Promise<Subscription> {
    const subscription = await this.options.store.subscriptions.findById(id)
    if (!subscription || !mayChange(caller, subscription)) throw unknownSubscription()
    return subscription
  }

  async #save(input: unknown, caller: SubscriptionCaller) {
    const { store, newSubscriptionId } = this.options
    const { subscription, stored } = await this.#readOver(input, caller, newSubscriptionId)
    if (stored?.owner_user_id !== subscription.owner_user_id) await this.#refuseFull(subscription.owner_user_id)
    // Events move these two concurrently, so only a value that was set takes precedence over the stored one.
    const set = MOVED_BY_EVENTS.filter(member => subscription[member] !== (stored?.[member] ?? null))
    const saved = await store.subscriptions.save(subscription, set)
    this.#takeUp(saved.subscription)
    return { ...saved, subscription: this.#served(saved.subscription) }
  }

  /** Changes run one after the other, so nothing is added between this check and the save. */
  async #refuseFull(owner: string | null): Promise<void> {
    const { store, maxSubscriptions = SUBSCRIPTION_LIMITS.perOwner } = this.options
    if ((await store.subscriptions.count(owner)) < maxSubscriptions) return
    const whose = owner === null ? 'There are' : 'This user has'
    const message = `${whose} ${maxSubscriptions} subscriptions${owner === null ? ' without an owner' : ''}, and no more are allowed.`
    throw new AppError('conflict', 'too_many_subscriptions', message, {
      hint: 'Delete one that is no longer needed, or raise EVENT_MAX_SUBSCRIPTIONS.',
    })
  }

  /** Reads what was sent over what is stored under its id. */
  async #readOver(input: unknown, caller: SubscriptionCaller, newId: () => string) {
    const { store, clock } = this.options
    const sentId = idOf(input)
    const stored = sentId === undefined ? undefined : await store.subscriptions.findById(sentId)
    if (stored && !mayChange(caller, stored)) throw foreignSubscription()
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

/** How long the reader of a stream waits where the ledger is busy. */
const BUSY_MS = 200
const OPEN: SubscriptionCaller = { role: 'open' }
/** Id of a subscription that is not going to be stored. */
const DRAFT_ID = 'draft'
const MOVED_BY_EVENTS = ['last_cursor', 'last_event_at'] as const satisfies readonly LedgerKept[]

function matchesOf({ key_space }: Provenance, matches: SubscriptionMatch[]): SubscriptionMatch[] {
  return key_space === undefined ? matches : matches.map(({ id }) => ({ id }))
}

/** For a reader that stays: a ledger that is busy does not end its stream. */
async function whenFree(read: () => Promise<EventPage>, signal: AbortSignal): Promise<EventPage> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'busy') throw error
      await sleep(BUSY_MS, undefined, { signal })
    }
  }
}

async function lookAgain(
  query: EventQuery,
  { page, signal, read }: { page: EventPage; signal: AbortSignal | undefined; read: ReadPage },
): Promise<EventPage> {
  try {
    return await read({ ...query, ...checkpointOf(page) }, signal)
  } catch (error) {
    if (signal?.aborted) return page
    throw error
  }
}

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
