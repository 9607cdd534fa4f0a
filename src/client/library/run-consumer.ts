import { type AckBody, type Batch, ConsumerReader, messageOf, type ReaderOptions } from './consumer-reader.js'
import type { LedgerEvent } from './ledger-event.js'
import { endOf, OrderedWork, type WorkOptions } from './ordered-work.js'

export interface ConsumerOptions
  extends ReaderOptions,
    Pick<WorkOptions, 'handle' | 'concurrency' | 'unit' | 'keyOf' | 'retries' | 'onFailure'> {}

/** How often done events are acknowledged during a batch. */
const ACKNOWLEDGE_MS = 1_000

/**
 * Processes the events of a consumer until the signal aborts, or with `once` until there are no more. Done events are
 * acknowledged about every second, and at the end of a batch; the lease is extended while an event takes long.
 *
 * @throws why the work stopped, and what waiting cannot resolve
 */
export async function runConsumer(options: ConsumerOptions): Promise<void> {
  const reader = new ConsumerReader(options)
  await reader.open()
  for (;;) {
    const batch = await reader.next()
    if (!batch) break
    const run = await begin(reader, batch, options)
    await run.finish()
    if (run.failure !== undefined) throw run.failure
  }
  await release(reader, options)
}

/** @throws what `keyOf` throws, after the lease is released: other instances need not wait until it expires */
async function begin(reader: ConsumerReader, batch: Batch, options: ConsumerOptions): Promise<BatchRun> {
  try {
    return new BatchRun(reader, batch, options)
  } catch (error) {
    await release(reader, options, { error: endOf(error) })
    throw error
  }
}

async function release(
  reader: ConsumerReader,
  { report }: ConsumerOptions,
  why: Pick<AckBody, 'error'> = {},
): Promise<void> {
  await reader.release(why).catch(error => {
    report(`Another instance has to wait until the lease expires: ${messageOf(error)}`)
  })
}

/** The work on one batch, and its acknowledgements. */
class BatchRun {
  readonly #work: OrderedWork
  /** Aborted: no more work is begun. */
  readonly #ending = new AbortController()
  /** Another instance has taken over. */
  #isLost = false
  readonly #known = new Set<LedgerEvent>()
  #acknowledging: Promise<void> = Promise.resolve()
  #acknowledgedAt = performance.now()
  #problem: unknown

  constructor(
    private readonly reader: ConsumerReader,
    private readonly batch: Batch,
    private readonly options: ConsumerOptions,
  ) {
    const { signal } = options
    signal.addEventListener('abort', () => this.#ending.abort(), { signal: this.#ending.signal })
    if (signal.aborted) this.#ending.abort()
    const onProgress = () => {
      if (performance.now() - this.#acknowledgedAt > ACKNOWLEDGE_MS) this.#acknowledge()
    }
    this.#work = new OrderedWork(batch.items, { ...options, onProgress, signal: this.#ending.signal })
  }

  get failure(): unknown {
    return this.#work.failure ?? this.#problem
  }

  async finish(): Promise<void> {
    const { leaseSeconds, signal } = this.options
    const extending = setInterval(() => this.#acknowledge(), (leaseSeconds * 1000) / 3)
    await this.#work.run()
    clearInterval(extending)
    await this.#acknowledging
    const isStopped = signal.aborted || this.failure !== undefined
    if (isStopped) return this.#release()
    if (this.#isLost) return
    this.#acknowledge()
    await this.#acknowledging
    // The abort may have cancelled this acknowledgement.
    if (signal.aborted) return this.#release()
    this.#ending.abort()
  }

  /** Also runs while the consumer stops: an event that takes long keeps its lease. */
  #acknowledge(): void {
    this.#acknowledgedAt = performance.now()
    this.#acknowledging = this.#acknowledging.then(async () => {
      if (this.#isLost) return
      try {
        const { body, letters } = this.#state()
        this.#isLost = !(await this.reader.acknowledge({ ...body, fence: this.batch.ack.fence }))
        if (this.#isLost) this.#ending.abort()
        for (const event of letters) this.#known.add(event)
      } catch (error) {
        if (this.options.signal.aborted) return
        this.#problem = error
        this.#ending.abort()
      }
    })
  }

  async #release(): Promise<void> {
    const { failure } = this
    try {
      const error = failure === undefined ? {} : { error: endOf(failure) }
      await this.reader.release({ ...this.#state().body, ...error })
    } catch (error) {
      // Events that are not acknowledged are delivered again.
      this.options.report(`The last events may be delivered again: ${messageOf(error)}`)
    }
  }

  /** The work done so far. Dead letters are sent with the checkpoint that passes their events. */
  #state(): { body: Omit<AckBody, 'fence'>; letters: LedgerEvent[] } {
    const { items, ack } = this.batch
    const { done, doneThrough, deadLetters } = this.#work
    const letters = items.slice(0, done).filter(event => deadLetters.has(event) && !this.#known.has(event))
    const dead_letters = letters.flatMap(event => deadLetters.get(event) ?? [])
    const last = dead_letters.at(-1)
    const failed = last ? { dead_letters, error: last.error } : {}
    if (ack.retried !== undefined) return { body: done > 0 ? { retried: ack.retried, ...failed } : {}, letters }
    const checkpoint = done === items.length ? ack.checkpoint : doneThrough
    return { body: { ...(checkpoint === undefined ? {} : { checkpoint }), ...failed }, letters }
  }
}
