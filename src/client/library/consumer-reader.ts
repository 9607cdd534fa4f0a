import { growingWait, pauseUntilAborted, REQUEST_WAIT } from './growing-wait.js'
import type { LedgerEvent } from './ledger-event.js'

/** The answer of `GET /api/consumers/{name}/events`. */
export interface Batch {
  items: LedgerEvent[]
  has_more: boolean
  epoch: string
  ack: { fence: number; checkpoint?: string; retried?: number }
}

export interface DeadLetterInput {
  dedupe_key: string
  captured_at: string
  error: string
  attempts: number
}

/** The body of `POST /api/consumers/{name}/ack`. */
export interface AckBody {
  fence: number
  checkpoint?: string | undefined
  retried?: number | undefined
  dead_letters?: readonly DeadLetterInput[]
  error?: string
  lease_seconds?: number
  release?: true
}

interface NextQuery {
  wait?: number
  limit: number
  fence?: number
  lease_seconds: number
}

/** The routes of one consumer. Refusals are errors with a `code`, and perhaps `retryAfterSeconds`. */
export interface ConsumerCalls {
  /** @returns the answer of `PUT /api/consumers/{name}` */
  save(body: object, signal: AbortSignal): Promise<unknown>
  next(query: NextQuery, signal: AbortSignal): Promise<Batch>
  acknowledge(body: AckBody, signal: AbortSignal): Promise<unknown>
  seek(body: object, signal: AbortSignal): Promise<unknown>
  /** Whether a retry can help: the server is unreachable, busy, or had an internal error. */
  isTransient(error: unknown): boolean
}

export interface ReaderOptions {
  calls: ConsumerCalls
  /** Body that creates the consumer. Without filters, a stored consumer keeps its own. */
  create: { filters?: object; position?: string; from?: string; since?: string }
  limit: number
  leaseSeconds: number
  /** Ends when there are no more events. */
  once: boolean
  /** What to do after the ledger was restored or replaced. Absent: continue at the checkpoint that the ledger has. */
  onRestore?: 'continue' | 'stop' | undefined
  /** Called for each batch. It may set another position, and then returns true: the batch is not returned. */
  skip?: (batch: Batch) => Promise<boolean>
  signal: AbortSignal
  /** Called once for each interruption, at its end, and for each dead letter whose event was removed. */
  report: (sentence: string) => void
  random?: () => number
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

const WAIT_SECONDS = 50
/** Time for a last acknowledgement. */
const STOPPING_MS = 5_000

/**
 * Reads the events of a consumer, batch by batch. It waits while the server is away, while another instance reads, and
 * after a lease was lost. It continues in a restored ledger, and creates the consumer again in another one.
 */
export class ConsumerReader {
  #fence: number | undefined
  /** The last checkpoint that this reader acknowledged. */
  #checkpoint: string | undefined
  /** Filters of the stored consumer when this reader began. */
  #filters: object | undefined
  #interruption: string | undefined
  #failures = 0

  constructor(private readonly options: ReaderOptions) {}

  /** Creates the consumer, or replaces its filters. Waits for the server, but not with `once`. */
  async open(): Promise<void> {
    const { calls, create, once, signal } = this.options
    const save = async () => {
      this.#filters = Object(await calls.save(create, signal)).consumer?.filters
    }
    await this.#untilAnswered(save, { isPatient: !once })
  }

  /** @returns undefined when the signal aborts, or with `once` when there is nothing left */
  async next(): Promise<Batch | undefined> {
    const { calls, limit, leaseSeconds, once, skip, signal } = this.options
    while (!signal.aborted) {
      try {
        const query: NextQuery = { limit, lease_seconds: leaseSeconds }
        if (!once) query.wait = WAIT_SECONDS
        if (this.#fence !== undefined) query.fence = this.#fence
        const batch = await calls.next(query, signal)
        this.#fence = batch.ack.fence
        const isSkipped = batch.items.length > 0 && (await skip?.(batch))
        this.#resumed()
        if (isSkipped) continue
        if (batch.items.length > 0) return batch
        const { retried } = batch.ack
        if (retried !== undefined) this.options.report(`The event of dead letter ${retried} was removed.`)
        await this.acknowledge(batch.ack)
        if (once && !batch.has_more) return undefined
      } catch (error) {
        if (signal.aborted) return undefined
        await this.#overcome(error)
      }
    }
    return undefined
  }

  /**
   * @returns false if the lease is lost: another instance has the events now, or the position was set
   * @throws what waiting cannot resolve
   */
  async acknowledge(body: AckBody): Promise<boolean> {
    const { calls, signal, leaseSeconds } = this.options
    for (;;) {
      try {
        const limit = signal.aborted ? AbortSignal.timeout(STOPPING_MS) : signal
        await calls.acknowledge({ ...body, lease_seconds: leaseSeconds }, limit)
        this.#checkpoint = body.checkpoint ?? this.#checkpoint
        if (body.release) this.#fence = undefined
        this.#resumed()
        return true
      } catch (error) {
        const code = codeOf(error)
        if (code === 'lease_lost' || code === 'epoch_changed' || code === 'not_found') {
          this.#fence = undefined
          return false
        }
        if (signal.aborted || !calls.isTransient(error)) throw error
        await this.#wait(error)
      }
    }
  }

  /** Releases the lease, so that another instance may read immediately. It expires if that fails. */
  async release(body: Omit<AckBody, 'fence'> = {}): Promise<void> {
    if (this.#fence === undefined) return
    const fence = this.#fence
    this.#fence = undefined
    await this.options.calls.acknowledge({ ...body, fence, release: true }, AbortSignal.timeout(STOPPING_MS))
  }

  get fence(): number | undefined {
    return this.#fence
  }

  async #overcome(error: unknown): Promise<void> {
    const { calls, once, signal } = this.options
    switch (codeOf(error)) {
      case 'lease_held':
        if (once) throw error
        this.#interrupted('Another instance reads for this consumer. This one waits.')
        return this.#pause(REQUEST_WAIT.first)
      case 'lease_lost':
        this.#fence = undefined
        return this.#pause(REQUEST_WAIT.first)
      case 'epoch_changed':
        if (this.options.onRestore === 'stop') throw error
        this.#fence = undefined
        this.options.report('The ledger was restored or replaced. Continuing at the checkpoint that it has.')
        return this.#untilAnswered(() => calls.seek({ position: 'same' }, signal))
      case 'pruned':
        this.#fence = undefined
        this.options.report(`${messageOf(error)} Continuing after them.`)
        return this.#untilAnswered(() => calls.seek({ since: Reflect.get(Object(error), 'nextSince') }, signal))
      case 'not_found': {
        const filters = this.#filters
        // Without its filters, it would pass on every event.
        if (!filters) throw error
        const place = this.#checkpoint === undefined ? this.options.create : { since: this.#checkpoint }
        this.#fence = undefined
        this.options.report('This ledger does not have the consumer any more. Creating it again.')
        return this.#untilAnswered(() => calls.save({ ...place, filters }, signal))
      }
      default:
        if (!calls.isTransient(error)) throw error
        return this.#wait(error)
    }
  }

  /** Repeats a request until the server answers it. */
  async #untilAnswered(request: () => Promise<unknown>, { isPatient = true } = {}): Promise<void> {
    const { calls, signal } = this.options
    while (!signal.aborted) {
      try {
        await request()
        return this.#resumed()
      } catch (error) {
        if (signal.aborted) return
        if (!isPatient || !calls.isTransient(error)) throw error
        await this.#wait(error)
      }
    }
  }

  async #wait(error: unknown): Promise<void> {
    this.#failures++
    this.#interrupted(`${messageOf(error)} Waiting.`)
    const asked = Number(Reflect.get(Object(error), 'retryAfterSeconds') ?? 0) * 1000
    await this.#pause(Math.max(asked, growingWait(this.#failures, REQUEST_WAIT, this.options.random)))
  }

  #pause(milliseconds: number): Promise<void> {
    const { sleep = pauseUntilAborted, signal } = this.options
    return sleep(milliseconds, signal)
  }

  #interrupted(sentence: string): void {
    if (this.#interruption === undefined) this.options.report(sentence)
    this.#interruption = sentence
  }

  #resumed(): void {
    if (this.#interruption !== undefined) this.options.report('Continuing.')
    this.#interruption = undefined
    this.#failures = 0
  }
}

export function codeOf(error: unknown): unknown {
  return Reflect.get(Object(error), 'code')
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
