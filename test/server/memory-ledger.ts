import { EventEmitter, once } from 'node:events'
import type { EventDelivery } from '../../src/ledger/event-recorder.js'
import type { EventStory } from '../../src/ledger/event-story.js'
import { refuseAhead } from '../../src/ledger/refused-checkpoint.js'
import { AppError } from '../../src/model/app-error.js'
import { type NewEvent, type StoredEvent, storedKeyOf } from '../../src/model/events/event.js'
import type { EventFacets, FacetQuery } from '../../src/model/events/event-facets.js'
import type { EventHistogram, HistogramQuery } from '../../src/model/events/event-histogram.js'
import { eventMatches } from '../../src/model/events/event-match.js'
import type { EventPage, EventQuery } from '../../src/model/events/event-query.js'
import type { Subscription, SubscriptionPage } from '../../src/model/subscriptions/subscription.js'
import type { SubscriptionPreview } from '../../src/model/subscriptions/subscription-preview.js'
import { type Micros, readTimestamp, toTimestamp } from '../../src/model/timestamp.js'
import type { ServedLedger } from '../../src/server/ledger/served-ledger.js'
import type { LedgerStats, RecordOutcome, StoreHealth } from '../../src/store/event-store.js'

/** The instant after which the ledger of these tests captures: one microsecond an event. */
export const START = readTimestamp('start', '2031-05-04T09:00:00Z').micros

const unknown = async () => {
  throw new AppError('not_found', 'not_found', 'There is nothing with this name.')
}

/** Tests of consumers have a ledger with a store. */
const NO_CONSUMERS: ServedLedger['consumers'] = {
  save: unknown,
  get: unknown,
  delete: unknown,
  seek: unknown,
  acknowledge: unknown,
  nextBatch: unknown,
  listDeadLetters: unknown,
  retryDeadLetters: unknown,
  deleteDeadLetters: unknown,
  list: async () => [],
  release: async () => {},
  countStalled: async () => 0,
}

/** Tests of sources have a ledger with a store. */
const NO_SOURCES: ServedLedger['sources'] = {
  get: unknown,
  save: unknown,
  delete: unknown,
  remap: unknown,
  readFeed: unknown,
  find: async () => undefined,
  list: async () => [],
}

/** A ledger in an array, for tests of HTTP only. */
export class MemoryLedger implements ServedLedger {
  readonly consumers = NO_CONSUMERS
  readonly sources = NO_SOURCES
  readonly events: StoredEvent[] = []
  readonly #byKey = new Map<string, StoredEvent>()
  readonly subscriptions = new Map<string, Subscription>()
  /** The queries that reached it. */
  readonly queries: EventQuery[] = []
  readonly histograms: Omit<HistogramQuery, 'now'>[] = []
  /** The histogram that every query returns. */
  counted: EventHistogram = {
    from: null,
    to: null,
    starts: [],
    counts: [],
    count: 0,
    bySource: [],
    countedFrom: null,
    head: null,
    epoch: 'epoch-1',
  }
  readonly facetQueries: Omit<FacetQuery, 'now'>[] = []
  /** The facets that every query returns. */
  values: EventFacets = {
    from: null,
    to: null,
    count: 0,
    countedFrom: null,
    head: null,
    epoch: 'epoch-1',
    values: { source: [], kind: [], outcome: [], actor: [], verified: [], subscription_id: [] },
  }
  /** When set, every call fails with it. */
  failure: Error | undefined
  /** When set, `record` and previews wait until it resolves. */
  held: Promise<void> | undefined
  /** How often either was called. */
  asked = 0
  readonly #news = new EventEmitter().setMaxListeners(0)

  /** Tests of it have a ledger with a store. */
  async recordMissing(): Promise<never> {
    throw new Error('not part of this ledger')
  }

  async record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]> {
    this.asked += 1
    await this.held
    this.#fail()
    const outcomes = deliveries.map(delivery => this.#recordOne(delivery))
    this.announce()
    return outcomes
  }

  /** As if none had been recorded. */
  forgetEvents(): void {
    this.events.length = 0
    this.#byKey.clear()
  }

  async getEvent(dedupeKey: string): Promise<Uint8Array> {
    this.#fail()
    const event = this.events.find(known => known.dedupe_key === dedupeKey)
    if (!event) throw new AppError('not_found', 'not_found', 'No event has this dedupe key.')
    return Buffer.from(JSON.stringify(event))
  }

  async story(dedupeKey: string): Promise<EventStory> {
    const { payload: _, ...event } = JSON.parse(Buffer.from(await this.getEvent(dedupeKey)).toString())
    return { parts: [{ event, facts: [] }], complete: true }
  }

  async query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    signal?.throwIfAborted()
    this.#fail()
    this.queries.push(query)
    const { since = -Infinity, from = -Infinity, to = Infinity } = query
    const matching = this.events.filter(event => {
      const captured = capturedMicros(event)
      return captured > since && captured >= from && captured <= to && eventMatches(event, query)
    })
    if (query.order === 'desc') matching.reverse()
    const items = matching.slice(0, query.limit)
    const captured = items.map(capturedMicros)
    const last = this.events.at(-1)
    const head = last ? capturedMicros(last) : null
    refuseAhead(query, { head })
    const hasMore = matching.length > items.length
    return {
      items: Buffer.from(items.map(event => JSON.stringify(event)).join(',')),
      count: items.length,
      latestCapturedAt: captured.length > 0 ? Math.max(...captured) : null,
      oldestCapturedAt: captured.length > 0 ? Math.min(...captured) : null,
      nextSince: hasMore && query.order === 'asc' ? (captured.at(-1) ?? null) : (head ?? query.since ?? null),
      hasMore,
      head,
      earliest: this.events[0] ? capturedMicros(this.events[0]) : null,
      prunedThrough: null,
      epoch: 'epoch-1',
    }
  }

  get erasures(): never {
    throw new Error('Nothing is erased in memory.')
  }

  /** Returns fixed content: these tests check only the query and the unchanged answer of the route. */
  async histogram(query: Omit<HistogramQuery, 'now'>, signal?: AbortSignal): Promise<EventHistogram> {
    signal?.throwIfAborted()
    this.#fail()
    this.histograms.push(query)
    return this.counted
  }

  async facets(query: Omit<FacetQuery, 'now'>, signal?: AbortSignal): Promise<EventFacets> {
    signal?.throwIfAborted()
    this.#fail()
    this.facetQueries.push(query)
    return this.values
  }

  async previewSubscription(): Promise<SubscriptionPreview> {
    this.asked += 1
    await this.held
    this.#fail()
    const understood = { source: 'chat', target: '', scope: {}, filters: {}, event_kinds: [], actions: [] }
    const counted = { count: 0, by_day: [], complete: true, counted_from: toTimestamp(START) }
    return { ...counted, examples: [], seen: false, understood }
  }

  async waitFor(query: EventQuery, seconds: number, signal?: AbortSignal): Promise<EventPage> {
    const enough = AbortSignal.timeout(seconds * 1000)
    for (;;) {
      const page = await this.query(query, signal)
      if (page.count > 0 || enough.aborted) return page
      await this.#untilNews(AbortSignal.any([enough, ...(signal ? [signal] : [])]))
    }
  }

  async *follow(query: EventQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    let since: Micros = query.since ?? 0
    while (!signal.aborted) {
      const page = await this.query({ ...query, since }, signal)
      since = page.nextSince ?? since
      yield page
      if (!page.hasMore) await this.#untilNews(signal)
    }
  }

  async saveSubscription(input: unknown): Promise<{ created: boolean; subscription: Subscription }> {
    const subscription = { id: `sub_${this.subscriptions.size + 1}`, ...(input as object) } as Subscription
    const created = !this.subscriptions.has(subscription.id)
    this.subscriptions.set(subscription.id, subscription)
    return { created, subscription }
  }

  async getSubscription(id: string): Promise<Subscription> {
    const subscription = this.subscriptions.get(id)
    if (!subscription) throw new AppError('not_found', 'not_found', 'There is no such subscription.')
    return subscription
  }

  async listSubscriptions(): Promise<Subscription[]> {
    return [...this.subscriptions.values()]
  }

  async pageSubscriptions(): Promise<SubscriptionPage> {
    return { items: [...this.subscriptions.values()], next: null }
  }

  async deleteSubscription(id: string): Promise<void> {
    await this.getSubscription(id)
    this.subscriptions.delete(id)
  }

  async stats(): Promise<LedgerStats> {
    this.#fail()
    return {
      event_count: this.events.length,
      duplicate_count: 0,
      subscription_count: this.subscriptions.size,
      by_source: {},
      by_kind: {},
      first_captured_at: null,
      latest_captured_at: null,
    }
  }

  async health(): Promise<StoreHealth> {
    this.#fail()
    return {
      database: '/var/lib/ledger.db',
      engine: 'sqlite',
      head: { capturedAt: START, digest: 'd0'.repeat(32) },
      epoch: 'epoch-1',
      schemaVersion: 3,
      unindexedEvents: 0,
    }
  }

  /** Wakes all waiting callers, as a new event would. */
  announce(): void {
    this.#news.emit('news')
  }

  #recordOne({ event: given, provenance, json }: EventDelivery): RecordOutcome {
    const event: NewEvent = json ? JSON.parse(Buffer.from(json).toString()) : given
    const key = storedKeyOf(event, provenance)
    const known = this.#byKey.get(key)
    if (known) known.seen_count += 1
    const captured_at = toTimestamp(START + this.events.length + 1)
    const stored = known ?? {
      ...event,
      subscription_ids: [],
      provenance,
      captured_at,
      seen_count: 1,
      last_seen_at: captured_at,
    }
    if (!known) {
      this.events.push(stored)
      this.#byKey.set(key, stored)
    }
    const body = JSON.stringify(stored)
    return {
      created: !known,
      dedupeKey: stored.dedupe_key,
      seenCount: stored.seen_count,
      capturedAt: capturedMicros(stored),
      body,
    }
  }

  async #untilNews(signal: AbortSignal): Promise<void> {
    await once(this.#news, 'news', { signal }).catch(() => signal.aborted)
  }

  #fail(): void {
    if (this.failure) throw this.failure
  }
}

function capturedMicros(event: StoredEvent): Micros {
  return readTimestamp('captured_at', event.captured_at).micros
}
