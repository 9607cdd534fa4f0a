import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../model/app-error.js'
import type { EventPage, EventQuery } from '../../model/events/event-query.js'
import { toEventFilter } from '../../model/events/filter-values.js'
import type { Micros } from '../../model/timestamp.js'
import type { ConsumerKey, StoredConsumer, StoredDeadLetter } from '../../store/consumer-store.js'
import type { Store } from '../../store/store.js'
import { refusePruned } from '../refused-checkpoint.js'
import type { WrapRead } from '../wait-for-events.js'
import type { ConsumerPoll } from './consumer-polls.js'

export interface ConsumersParts {
  store: Pick<Store, 'events' | 'consumers' | 'multiServer'>
  clock: () => Micros
  /** The long poll of the ledger. */
  waitFor: (
    query: EventQuery,
    seconds: number,
    signal: AbortSignal | undefined,
    wrapRead: WrapRead,
  ) => Promise<EventPage>
}

/** A request for the next events. */
export interface BatchRequest {
  /** Fencing number of the caller's lease. */
  fence?: number | undefined
  waitSeconds: number
  leaseSeconds: number
  limit: number
  /** Aborted when the caller leaves or the server stops. */
  signal: AbortSignal
  /** Around every read of a page. */
  wrapRead: WrapRead
}

/** The next events of a consumer, and the lease on them. */
export interface Batch {
  page: EventPage
  /** Whether other readers may use the same bytes. */
  isShared: boolean
  fence: number
  leasedUntil: Micros
  checkpoint: Micros
  /** The id of the dead letter whose event this is. */
  retried?: number
}

interface AttemptRequest extends BatchRequest {
  /** Whether an earlier attempt of this request has the lease. */
  continues: boolean
  /** Milliseconds of `performance.now()`. */
  deadline: number
}

/** How often an instance on standby asks for the lease: another server may have released it or shortened it. */
const STANDBY_CHECK_MS = 2_000

/** One attempt to read: until there is an answer, or the consumer changes. */
export class ReadAttempt {
  fence: number | undefined
  isLeased = false

  constructor(
    private readonly parts: ConsumersParts,
    private readonly key: ConsumerKey,
    private readonly request: AttemptRequest,
    private readonly poll: ConsumerPoll,
  ) {
    this.fence = request.fence
  }

  /**
   * @returns undefined: try again
   * @throws AppError `conflict/lease_held`, `gone/pruned`, and as `ConsumerStore.lease`
   */
  async run(): Promise<Batch | undefined> {
    const consumer = await this.#lease()
    if (!consumer) return undefined
    this.fence = consumer.fence
    this.isLeased = true
    const retry = consumer.retries > 0 ? await this.parts.store.consumers.findRetry(this.key) : undefined
    if (retry) return this.#retryBatch(consumer, retry)
    const { limit, wrapRead } = this.request
    const since = consumer.checkpoint
    const query: EventQuery = { ...toEventFilter(consumer.filters), since, order: 'asc', limit }
    const read = wrapRead((asked, signal) => this.parts.store.events.query(asked, signal))
    let page = await read(query, this.request.signal)
    let isShared = false
    // A consumer that reads from the beginning starts with the oldest event that is left.
    if (since > 0) await this.#refusePruned(since, page)
    if (page.count === 0 && !page.hasMore && this.#secondsLeft > 0) {
      await this.#extend(consumer, this.#secondsLeft)
      this.poll.waitsForEvents = true
      isShared = true
      page = await this.#wait({ ...query, since: page.nextSince ?? since }, page)
      const isWoken = this.poll.signal.aborted && !this.request.signal.aborted
      if (page.count === 0 && isWoken && this.#secondsLeft > 0) return undefined
    }
    const readTo = page.nextSince ?? since
    const { leasedUntil, isChanged } = await this.#extend(consumer, 0, readTo)
    if (isChanged && !this.request.signal.aborted) return undefined
    // Other events may match the new filters, so the checkpoint of a read with the old ones must not be acknowledged.
    return { page, isShared, fence: consumer.fence, leasedUntil, checkpoint: isChanged ? since : readTo }
  }

  /** The instance does not keep its lease, because it has no events to process. */
  async #refusePruned(since: Micros, page: EventPage): Promise<void> {
    try {
      refusePruned({ since }, page)
    } catch (error) {
      const now = this.parts.clock()
      await this.parts.store.consumers.lease(this.key, { fence: this.fence, now, until: now })
      throw error
    }
  }

  get #secondsLeft(): number {
    return Math.max(0, (this.request.deadline - performance.now()) / 1000)
  }

  /** @returns undefined after a wait for another instance */
  async #lease(): Promise<StoredConsumer | undefined> {
    const { store, clock } = this.parts
    const { fence, continues } = this.request
    const known = fence === undefined ? undefined : await store.consumers.find(this.key)
    // The lease is extended after the read, in one write with it. The store decides all other cases.
    if (known && known.fence === fence && known.leased_until > clock()) return known
    const now = clock()
    const lease = await store.consumers.lease(this.key, { fence, continues, now, until: this.#leaseEnd(0) })
    if (lease.granted) return lease.consumer
    const left = this.#secondsLeft
    if (left === 0 || this.request.signal.aborted) throw leaseHeld()
    const pauseMs = Math.min(left * 1000, (lease.until - now) / 1000 + 1, STANDBY_CHECK_MS)
    await pauseUntilAborted(pauseMs, this.poll.signal)
    return undefined
  }

  async #wait(query: EventQuery, before: EventPage): Promise<EventPage> {
    const { signal } = this.poll
    try {
      const waited = await this.parts.waitFor(query, this.#secondsLeft, signal, this.request.wrapRead)
      return { ...waited, nextSince: waited.nextSince ?? before.nextSince }
    } catch (error) {
      if (signal.aborted) return before
      throw error
    }
  }

  async #retryBatch(consumer: StoredConsumer, retry: StoredDeadLetter): Promise<Batch> {
    const read = this.request.wrapRead((asked, signal) => this.parts.store.events.query(asked, signal))
    const at = retry.captured_at
    const page = await read({ from: at, to: at, order: 'asc', limit: 1 }, this.request.signal)
    const { leasedUntil } = await this.#extend(consumer, 0)
    const { fence, checkpoint } = consumer
    return { page, isShared: false, fence, leasedUntil, checkpoint, retried: retry.id }
  }

  /** @returns also whether the filters were changed since the read, possibly by another server */
  async #extend(
    { fence, filters }: StoredConsumer,
    waitSeconds: number,
    readTo?: Micros,
  ): Promise<{ leasedUntil: Micros; isChanged: boolean }> {
    const until = this.#leaseEnd(waitSeconds)
    const request = { fence, continues: true, now: this.parts.clock(), until, readTo, filters }
    const lease = await this.parts.store.consumers.lease(this.key, request)
    return { leasedUntil: until, isChanged: lease.granted && !isDeepStrictEqual(lease.consumer.filters, filters) }
  }

  #leaseEnd(waitSeconds: number): Micros {
    return this.parts.clock() + Math.ceil((waitSeconds + this.request.leaseSeconds) * 1_000_000)
  }
}

function leaseHeld(): AppError {
  return new AppError('conflict', 'lease_held', 'Another instance reads for this consumer.', {
    hint: 'Try again, and set `wait` to queue for the lease.',
  })
}

/** Ends early when the signal aborts. */
function pauseUntilAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds, undefined, { signal }).catch(() => undefined)
}
