import { AppError } from '../model/app-error.js'
import {
  type StoredEvent,
  storedKeyOf,
  toUnverifiedKey,
  VERIFICATIONS,
  type Verification,
} from '../model/events/event.js'
import type { EventFacets, FacetQuery } from '../model/events/event-facets.js'
import type { EventHistogram, HistogramQuery } from '../model/events/event-histogram.js'
import { UNVERIFIED_KEYS } from '../model/events/event-limits.js'
import { type EventPage, type EventQuery, eventsOf } from '../model/events/event-query.js'
import { PLATFORM_SOURCES } from '../model/platforms/platform-source.js'
import type { QueueMark } from '../model/subscriptions/live-capture.js'
import type { CaptureState, Subscription, SubscriptionPage } from '../model/subscriptions/subscription.js'
import type { SubscriptionPreview } from '../model/subscriptions/subscription-preview.js'
import type { Micros } from '../model/timestamp.js'
import type { readFeed } from '../platforms/feeds/read-feed.js'
import type { Lease, LedgerStats, RecordOutcome, StoreHealth } from '../store/event-store.js'
import type { Store } from '../store/store.js'
import { Consumers } from './consumers/consumers.js'
import { Erasures } from './erasures.js'
import { type CapturedEvents, type EventDelivery, EventRecorder, type LiveEvents } from './event-recorder.js'
import { type EventStory, readStory } from './event-story.js'
import { EventsOfOtherServers } from './events-of-other-servers.js'
import { Feeds } from './feeds.js'
import { KnownPeople } from './known-people.js'
import type { LedgerCaller } from './ledger-caller.js'
import { LiveFeed } from './live-feed.js'
import { refuseAhead, refusePruned } from './refused-checkpoint.js'
import { SharedReads } from './shared-reads.js'
import { Sources } from './sources.js'
import { type SubscriptionOptions, Subscriptions } from './subscriptions.js'
import { followPages, type ReadPage, type WaitingParts, type WrapRead, waitForPage } from './wait-for-events.js'

/** Events up to this size are read without reserving memory for them. */
const SMALL_EVENT_BYTES = 16 * 1024
/** Maximum size: the event is parsed on the thread that answers all requests. */
const STORY_EVENT_BYTES = 2 * 1024 * 1024
/** Enough to know the people who are active at present. */
const PEOPLE_FROM_EVENTS = 500
const VERIFIED: readonly Verification[] = VERIFICATIONS.filter(verified => verified !== 'none')

interface LedgerOptions extends SubscriptionOptions {
  store: Store
}

const OPEN: LedgerCaller = { role: 'open' }

/** Events and subscriptions. Knows neither HTTP nor SQL. */
export class Ledger {
  /** Why the newest events could not be read when the ledger was opened. The names in them are then unknown. */
  unreadEvents: AppError | undefined
  /** The newest `captured_at` when the ledger was opened; null in an empty ledger, and where it could not be read. */
  headAtOpen: Micros | null = null
  readonly consumers: Consumers
  readonly #feed = new LiveFeed()
  readonly #liveReads = new SharedReads(query => this.query(query))
  readonly #people = new KnownPeople()
  readonly #recorder: EventRecorder
  readonly erasures: Erasures
  #otherServers: EventsOfOtherServers | undefined
  readonly sources: Sources
  readonly feeds: Feeds
  readonly #read: ReadPage = (query, signal) => this.query(query, signal)

  private constructor(
    private readonly options: LedgerOptions,
    private readonly subscriptions: Subscriptions,
  ) {
    const { store, clock } = options
    this.#recorder = new EventRecorder({ store, clock, subscriptions, people: this.#people, feed: this.#feed })
    this.consumers = new Consumers({ store, clock, waitFor: (...asked) => this.waitFor(...asked) })
    this.feeds = new Feeds({
      clock,
      read: loadedReadFeed,
      list: () => this.sources.list(),
      find: name => this.sources.find(name),
      record: deliveries => this.recordMissing(deliveries),
      notes: store.notes,
    })
    this.sources = new Sources({
      store: store.sources,
      clock,
      feeds: this.feeds,
      query: query => this.query(query),
      record: deliveries => this.record(deliveries),
    })
    this.erasures = new Erasures({
      store,
      getEvent: key => this.getEvent(key),
      record: (sent, remove) => this.#recorder.recordErasure(sent, remove),
    })
  }

  /** Opens the ledger over an open store. */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const ledger = new Ledger(options, await Subscriptions.open(options))
    await ledger.#learnPeople()
    ledger.#watchOthers()
    return ledger
  }

  /** Subscriptions that were stored incomplete or damaged, found when the ledger was opened. */
  get withProblems(): readonly Subscription[] {
    return this.subscriptions.withProblems
  }

  /** Wakes readers for events of other servers, until the store is closed. */
  #watchOthers(): void {
    const { multiServer, events } = this.options.store
    const read = (query: EventQuery) => events.query(query)
    const otherServers = new EventsOfOtherServers({
      read,
      feed: this.#feed,
      people: this.#people,
      head: this.headAtOpen,
    })
    this.#otherServers = otherServers
    multiServer?.onEvents(otherServers.notice)
    this.consumers.watchOthers()
  }

  /** Wakes the readers that wait, after events were copied from another ledger. */
  noticeCopies(): void {
    this.#otherServers?.notice()
  }

  /** Call it after the ledger has followed another one, before it records its first own event. */
  async endFollowing(): Promise<void> {
    await this.subscriptions.reloadAll()
    await this.#learnPeople()
  }

  /**
   * Learns people from the newest events, which were completed when they were recorded. A damaged row does not prevent
   * opening the ledger.
   */
  async #learnPeople(): Promise<void> {
    const newest = {
      order: 'desc',
      limit: PEOPLE_FROM_EVENTS,
      sources: PLATFORM_SOURCES,
      withoutPayload: true,
    } as const
    // Separately, so that unverified events cannot displace verified ones.
    for (const verified of [['none'], VERIFIED] as const) {
      const found = await this.options.store.events.query({ ...newest, verified }).catch(error => {
        if (!(error instanceof AppError)) throw error
        this.unreadEvents = error
      })
      if (found) this.headAtOpen = found.head
      const events = found ? eventsOf(found) : []
      for (const event of events.reverse()) this.#people.learn(event, event.provenance)
    }
  }

  /** See `EventRecorder`, as for `recordCaptured`. */
  record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]> {
    return this.#recorder.record(deliveries)
  }

  /**
   * Records only events that are not known yet, so that reading a list of a platform again counts no repeats.
   *
   * @throws AppError as `record`
   */
  async recordMissing(deliveries: readonly EventDelivery[]): Promise<{ created: number; known: number }> {
    const { events } = this.options.store
    const byKey = [...new Map(deliveries.map(delivery => [storedKeyOf(delivery.event, delivery.provenance), delivery]))]
    const found = await Promise.all(byKey.map(([key]) => events.findByDedupeKey(key, 0)))
    const missing = byKey.filter((_, at) => found[at] === undefined).map(([, delivery]) => delivery)
    const outcomes = missing.length > 0 ? await this.record(missing) : []
    const created = outcomes.filter(outcome => outcome.created).length
    return { created, known: deliveries.length - created }
  }

  recordCaptured(id: string, page: CapturedEvents, lease?: Lease): Promise<RecordOutcome[]> {
    return this.#recorder.recordCaptured(id, page, lease)
  }

  recordLive(happened: LiveEvents): Promise<RecordOutcome[]> {
    return this.#recorder.recordLive(happened)
  }

  /** Where reading of the chat server's event queue stopped. */
  findQueueMark(): Promise<QueueMark | undefined> {
    return this.options.store.subscriptions.findQueueMark()
  }

  saveQueueMark(mark: QueueMark): Promise<void> {
    return this.options.store.subscriptions.saveQueueMark(mark)
  }

  /** Records the outcome of an attempt to capture a watch. @param cursor moves its `last_cursor` there */
  noteCapture(id: string, changes: CaptureState, cursor?: string): Promise<void> {
    return this.subscriptions.noteCapture(id, changes, cursor)
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
      const hint = 'Check the key, or search for the event.'
      throw new AppError('not_found', 'not_found', 'No event has this dedupe key.', { hint })
    }
    return body
  }

  /** Whether an event with this key arrived with proof, or without credentials on an open ledger. */
  async knows(dedupeKey: string): Promise<boolean> {
    return (await this.options.store.events.findByDedupeKey(dedupeKey, 0)) !== undefined
  }

  /** Filters dedupe keys: keeps those whose stored events belong to the subscription. */
  listKeysOf(subscriptionId: string, dedupeKeys: readonly string[]): Promise<string[]> {
    return this.options.store.events.listKeysOf(subscriptionId, dedupeKeys)
  }

  /** @throws AppError `conflict/ahead_of_ledger`, `gone/pruned` */
  async query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    const page = await this.options.store.events.query(query, signal)
    refuseAhead(query, page)
    refusePruned(query, page)
    return page
  }

  /** Counts events over a range, by source. A range with no end goes up to now. */
  histogram(query: Omit<HistogramQuery, 'now'>, signal?: AbortSignal): Promise<EventHistogram> {
    return this.options.store.events.histogram({ ...query, now: this.options.clock() }, signal)
  }

  /** Counts the values that matching events have. A range with no end goes up to now. */
  facets(query: Omit<FacetQuery, 'now'>, signal?: AbortSignal): Promise<EventFacets> {
    return this.options.store.events.facets({ ...query, now: this.options.clock() }, signal)
  }

  /**
   * The events that belong to one story with an event, see `readStory`.
   *
   * @throws AppError as `getEvent`, `too_large/event_too_large`
   */
  async story(dedupeKey: string, signal?: AbortSignal): Promise<EventStory> {
    const body = await this.getEvent(dedupeKey, async bytes => {
      if (bytes > STORY_EVENT_BYTES)
        throw new AppError('too_large', 'event_too_large', 'The event is too large to read its story.')
    })
    const event: StoredEvent = JSON.parse(Buffer.from(body).toString())
    return readStory(this.options.store.events, event, signal)
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
   * Long poll, see `waitForPage`.
   *
   * @param wrapRead around every read of a page
   */
  waitFor(
    query: EventQuery,
    seconds: number,
    signal?: AbortSignal,
    wrapRead: WrapRead = read => read,
  ): Promise<EventPage> {
    return waitForPage(query, { ...this.#waitingParts(wrapRead), seconds, signal })
  }

  /**
   * Stream, see `followPages`.
   *
   * @param wrapRead around every read of a page
   */
  follow(query: EventQuery, signal: AbortSignal, wrapRead: WrapRead = read => read): AsyncGenerator<EventPage> {
    return followPages(query, { ...this.#waitingParts(wrapRead), readHead: this.#read, signal })
  }

  #waitingParts(wrapRead: WrapRead): WaitingParts {
    const readShared = wrapRead((query, signal) => this.#liveReads.query(query, signal))
    return { feed: this.#feed, read: wrapRead(this.#read), readShared }
  }

  /** See `Subscriptions`, as for all methods up to `deleteSubscription`. */
  saveSubscription(
    input: unknown,
    caller: LedgerCaller = OPEN,
  ): Promise<{ created: boolean; subscription: Subscription }> {
    return this.subscriptions.save(input, caller)
  }

  previewSubscription(input: unknown, caller: LedgerCaller = OPEN, signal?: AbortSignal): Promise<SubscriptionPreview> {
    return this.subscriptions.preview(input, caller, signal)
  }

  getSubscription(id: string, caller: LedgerCaller = OPEN): Promise<Subscription> {
    return this.subscriptions.get(id, caller)
  }

  listSubscriptions(caller: LedgerCaller = OPEN): Promise<Subscription[]> {
    return this.subscriptions.list(caller)
  }

  pageSubscriptions(
    caller: LedgerCaller,
    bounds: { after?: string | undefined; limit: number },
  ): Promise<SubscriptionPage> {
    return this.subscriptions.page(caller, bounds)
  }

  listPolled(): Promise<Subscription[]> {
    return this.subscriptions.listPolled()
  }

  deleteSubscription(id: string, caller: LedgerCaller = OPEN): Promise<void> {
    return this.subscriptions.delete(id, caller)
  }

  stats(): Promise<LedgerStats> {
    return this.options.store.events.stats()
  }

  health(): Promise<StoreHealth> {
    return this.options.store.events.health()
  }
}

/** Loaded with the first feed: few ledgers have one, and its parser takes time to load. */
const loadedReadFeed: typeof readFeed = async (...asked) => {
  return (await import('../platforms/feeds/read-feed.js')).readFeed(...asked)
}
