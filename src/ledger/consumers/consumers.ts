import { AppError } from '../../model/app-error.js'
import {
  CONSUMER_LIMITS,
  CONSUMER_NAME,
  type Consumer,
  type ConsumerLag,
  type ConsumerPosition,
  type DeadLetter,
  unknownConsumer,
} from '../../model/consumers/consumer.js'
import type { FilterValues } from '../../model/events/filter-values.js'
import { type Micros, timestampOrNull, toTimestamp } from '../../model/timestamp.js'
import type {
  Acknowledgement,
  ConsumerKey,
  DeadLetterChoice,
  StoredConsumer,
  StoredDeadLetter,
} from '../../store/consumer-store.js'
import type { LedgerCaller } from '../ledger-caller.js'
import { ConsumerPolls } from './consumer-polls.js'
import { isStalled, readLags } from './lag.js'
import { type Batch, type BatchRequest, type ConsumersParts, ReadAttempt } from './read-attempt.js'

export interface AcknowledgementInput extends Omit<Acknowledgement, 'now' | 'until'> {
  leaseSeconds: number
  release: boolean
}

/** How long a count of stalled consumers is reused. */
const STALLED_CACHE_MS = 15_000

/**
 * Named consumers: the ledger keeps their filters and checkpoint, one instance of each reads at a time, and every event is
 * delivered until it is acknowledged.
 *
 * Source: docs/decisions/0070.
 */
export class Consumers {
  readonly #polls = new ConsumerPolls()
  #stalled: { at: number; count: Promise<number> } | undefined

  constructor(private readonly parts: ConsumersParts) {}

  /** Wakes requests that wait for a consumer that another server changes, until the store is closed. */
  watchOthers(): void {
    this.parts.store.multiServer?.onConsumerChange(name => {
      if (name === undefined) this.#polls.wakeAll()
      else this.#polls.wake(name)
    })
  }

  /**
   * Creates a consumer, or replaces the filters of the one with that name.
   *
   * @param sent `filters` absent: they stay; `position` counts for a new consumer only
   * @throws AppError `invalid/invalid_field` for the name, `conflict/consumer_taken`, `conflict/too_many_consumers`
   */
  async save(
    name: string,
    sent: { filters?: FilterValues | undefined; position: ConsumerPosition },
    caller: LedgerCaller,
  ): Promise<{ created: boolean; consumer: Consumer }> {
    if (!CONSUMER_NAME.test(name)) throw invalidName()
    const { owner } = keyOf(name, caller)
    const rules = { owner, most: CONSUMER_LIMITS.perOwner, now: this.parts.clock() }
    const draft = { name, owner_user_id: owner ?? null, ...sent }
    const { created, consumer } = await this.parts.store.consumers.save(draft, rules)
    this.#polls.wake(name)
    return { created, consumer: await this.#withLag(consumer) }
  }

  /** Those that the caller may see. */
  async list(caller: LedgerCaller): Promise<Consumer[]> {
    const stored = await this.parts.store.consumers.list(keyOf('', caller).owner)
    const lags = await this.#lagsOf(stored)
    const epoch = await this.#epoch()
    const now = this.parts.clock()
    return stored.map((consumer, at) => toConsumer(consumer, { epoch, now, lag: lags[at] as ConsumerLag }))
  }

  /** @throws AppError `not_found/not_found`, also for another member's, as all methods below */
  async get(name: string, caller: LedgerCaller): Promise<Consumer> {
    return this.#withLag(await this.#find(keyOf(name, caller)))
  }

  async delete(name: string, caller: LedgerCaller): Promise<void> {
    await this.parts.store.consumers.delete(keyOf(name, caller))
    this.#polls.wake(name)
  }

  async seek(name: string, position: ConsumerPosition, caller: LedgerCaller): Promise<Consumer> {
    const consumer = await this.parts.store.consumers.seek(keyOf(name, caller), position, this.parts.clock())
    this.#polls.wake(name)
    return this.#withLag(consumer)
  }

  /** @throws AppError as `ConsumerStore.acknowledge` */
  async acknowledge(name: string, sent: AcknowledgementInput, caller: LedgerCaller): Promise<StoredConsumer> {
    const { leaseSeconds, release, ...acknowledged } = sent
    const now = this.parts.clock()
    const until = release ? now : now + leaseSeconds * 1_000_000
    const key = keyOf(name, caller)
    const consumer = await this.parts.store.consumers.acknowledge(key, { ...acknowledged, now, until })
    if (release) this.#polls.wake(name)
    return consumer
  }

  async listDeadLetters(
    name: string,
    page: { after: number; limit: number },
    caller: LedgerCaller,
  ): Promise<DeadLetter[]> {
    const letters = await this.parts.store.consumers.listDeadLetters(keyOf(name, caller), page)
    return letters.map(toDeadLetter)
  }

  async retryDeadLetters(name: string, choice: DeadLetterChoice, caller: LedgerCaller): Promise<number> {
    const count = await this.parts.store.consumers.retryDeadLetters(keyOf(name, caller), choice)
    this.#polls.wake(name)
    return count
  }

  deleteDeadLetters(name: string, choice: DeadLetterChoice, caller: LedgerCaller): Promise<number> {
    return this.parts.store.consumers.deleteDeadLetters(keyOf(name, caller), choice)
  }

  /**
   * The next events, after a wait for the lease and for events. A dead letter that is delivered again is a batch of its
   * own, before new events. Without events, an empty batch moves the checkpoint over those that do not match.
   *
   * @throws AppError `conflict/lease_held` if another instance still reads, and as `ConsumerStore.lease`; `gone/pruned` if
   *   retention has removed events after the checkpoint;
   *   `unavailable/busy` if too many instances wait
   */
  async nextBatch(name: string, request: BatchRequest, caller: LedgerCaller): Promise<Batch> {
    const key = keyOf(name, caller)
    const deadline = performance.now() + request.waitSeconds * 1000
    let { fence } = request
    let continues = false
    let hasLease = false
    try {
      for (;;) {
        const poll = this.#polls.open(name, { signal: request.signal, fence })
        if (!poll) throw tooManyInstances()
        const attempt = new ReadAttempt(this.parts, key, { ...request, fence, continues, deadline }, poll)
        try {
          const batch = await attempt.run()
          if (batch) return batch
        } finally {
          poll.end()
          continues = attempt.isLeased
          hasLease ||= continues
          fence = attempt.fence
        }
      }
    } catch (error) {
      // The caller never learns the number of its new lease, so it could neither continue nor release it. If the store
      // fails here too, the lease ends with its time.
      if (hasLease && request.fence === undefined) await this.release(name, fence, caller).catch(() => undefined)
      throw error
    }
  }

  /**
   * Called when an instance disconnects without an answer: a standby instance takes over. An instance that has connected
   * again by then, with its fence, keeps the lease.
   */
  async release(name: string, fence: number | undefined, caller: LedgerCaller): Promise<void> {
    const key = keyOf(name, caller)
    const { store, clock } = this.parts
    const consumer = await store.consumers.find(key)
    const now = clock()
    if (!consumer || this.#polls.hasFence(name, consumer.fence)) return
    if ((fence ?? consumer.fence) === consumer.fence && consumer.leased_until > now) {
      await store.consumers.lease(key, { fence: consumer.fence, now, until: now })
      this.#polls.wake(name)
    }
  }

  /** Number of stalled consumers, counted at most every 15 seconds. */
  countStalled(): Promise<number> {
    const at = performance.now()
    if (!this.#stalled || at - this.#stalled.at > STALLED_CACHE_MS) {
      const count = this.list({ role: 'admin' }).then(
        consumers => consumers.filter(consumer => isStalled(consumer, this.parts.clock())).length,
      )
      count.catch(() => {
        this.#stalled = undefined
      })
      this.#stalled = { at, count }
    }
    return this.#stalled.count
  }

  async #find(key: ConsumerKey): Promise<StoredConsumer> {
    const consumer = await this.parts.store.consumers.find(key)
    if (!consumer) throw unknownConsumer()
    return consumer
  }

  async #withLag(consumer: StoredConsumer): Promise<Consumer> {
    const [lag] = await this.#lagsOf([consumer])
    return toConsumer(consumer, { epoch: await this.#epoch(), now: this.parts.clock(), lag: lag as ConsumerLag })
  }

  #lagsOf(consumers: readonly StoredConsumer[]): Promise<ConsumerLag[]> {
    return readLags(consumers, { ...this.parts, isWaiting: name => this.#polls.isWaiting(name) })
  }

  async #epoch(): Promise<string> {
    return (await this.parts.store.events.query({ order: 'desc', limit: 1, maxBytes: 0 })).epoch
  }
}

function keyOf(name: string, caller: LedgerCaller): ConsumerKey {
  return caller.role === 'member' ? { name, owner: caller.userId } : { name }
}

function toConsumer(
  stored: StoredConsumer,
  { epoch, now, lag }: { epoch: string; now: Micros; lag: ConsumerLag },
): Consumer {
  const { fence: _, retries: __, leased_until, checkpoint, ...others } = stored
  return {
    ...others,
    checkpoint: toTimestamp(checkpoint),
    epoch_changed: stored.epoch !== epoch,
    lag,
    leased_until: leased_until > now ? toTimestamp(leased_until) : null,
    acknowledged_at: timestampOrNull(stored.acknowledged_at),
    failed_at: timestampOrNull(stored.failed_at),
    created_at: toTimestamp(stored.created_at),
    updated_at: toTimestamp(stored.updated_at),
  }
}

function toDeadLetter(letter: StoredDeadLetter): DeadLetter {
  return { ...letter, captured_at: toTimestamp(letter.captured_at), failed_at: toTimestamp(letter.failed_at) }
}

function invalidName(): AppError {
  const detail = `name must be a letter or digit, then up to ${CONSUMER_LIMITS.nameCharacters - 1} of: letters, digits, ".", "_", "-".`
  return new AppError('invalid', 'invalid_field', detail, { errors: [{ field: 'name', detail }] })
}

function tooManyInstances(): AppError {
  return new AppError('unavailable', 'busy', 'Too many instances wait for this consumer.', { retryAfterSeconds: 5 })
}
