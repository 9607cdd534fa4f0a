import { AppError } from '../../model/app-error.js'
import { counted } from '../../model/counted.js'

const MOST_ADDRESSES = 10_000
/** The events of how many seconds may arrive together. */
const BURST_SECONDS = 10

interface AnonymousRateOptions {
  /** Events a second and address; 0: no limit. */
  eventsPerSecond: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Above this number, the least recent address is dropped. */
  maxAddresses?: number
}

interface Allowance {
  /** Negative after a batch larger than the burst, until the time for these events has passed. */
  events: number
  at: number
}

/**
 * Limits how many events callers without credentials record: each address has an allowance that refills steadily up to
 * ten seconds' worth. A batch needs an allowance for its number of events. A batch larger than the full allowance needs
 * all of it, and the excess delays later events.
 *
 * Source: decisions on routes, section 4, "EVENT_ANONYMOUS_RATE"; docs/decisions/0019.
 */
export class AnonymousRate {
  /** Least recently used first. */
  readonly #allowances = new Map<string, Allowance>()

  constructor(private readonly options: AnonymousRateOptions) {}

  /**
   * Refuses if `events` events may not be recorded now; `count` subtracts them.
   *
   * @throws AppError `throttled/too_many_attempts` with whole `retryAfterSeconds`
   */
  check(address: string, events = 1): void {
    const { eventsPerSecond } = this.options
    if (eventsPerSecond === 0) return
    const missing = Math.min(events, this.#burst) - this.#allowanceOf(address)
    if (missing > 0) throw tooMany(Math.ceil(missing / eventsPerSecond))
  }

  count(address: string, events: number): void {
    if (this.options.eventsPerSecond === 0) return
    const left = this.#allowanceOf(address) - events
    this.#allowances.delete(address)
    this.#allowances.set(address, { events: left, at: this.options.now() })
    const [leastRecent] = this.#allowances.keys()
    if (this.#allowances.size > (this.options.maxAddresses ?? MOST_ADDRESSES) && leastRecent !== undefined) {
      this.#allowances.delete(leastRecent)
    }
  }

  get #burst(): number {
    return this.options.eventsPerSecond * BURST_SECONDS
  }

  #allowanceOf(address: string): number {
    const known = this.#allowances.get(address)
    if (!known) return this.#burst
    const refilled = ((this.options.now() - known.at) / 1000) * this.options.eventsPerSecond
    return Math.min(this.#burst, known.events + refilled)
  }
}

function tooMany(seconds: number): AppError {
  const message = 'Too many events came from this address without credentials.'
  return new AppError('throttled', 'too_many_attempts', message, {
    hint: `Wait ${counted(seconds, 'second')}, or send an API token.`,
    retryAfterSeconds: seconds,
  })
}
