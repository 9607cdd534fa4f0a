import { AppError } from '../model/app-error.js'

/** Wrong keys and tokens that an address may send in a window. */
const MOST_FAILURES = 10
const WINDOW_MS = 60_000
const MOST_ADDRESSES = 10_000

interface CredentialThrottleOptions {
  /** Milliseconds of a monotonic clock. */
  now: () => number
  enabled?: boolean
  /** Above this number, the address that failed least recently is dropped. */
  maxAddresses?: number
}

interface Failures {
  count: number
  endsAt: number
}

/**
 * Counts wrong API keys and tokens by address: 10 in the minute that begins with the first one. Further wrong ones get
 * 429 until that minute ends.
 *
 * A key is compared before anything is counted, so a correct one is accepted from every address at any time: a
 * neighbour behind the same address cannot lock it out. Unlike a password, a key costs little to compare and is too
 * long to guess.
 *
 * Source: decisions on security, 0.18; docs/decisions/0023.
 */
export class CredentialThrottle {
  /** Ordered: the address that failed least recently comes first. */
  readonly #failures = new Map<string, Failures>()
  readonly #enabled: boolean
  readonly #maxAddresses: number
  readonly #now: () => number

  constructor({ now, enabled = true, maxAddresses = MOST_ADDRESSES }: CredentialThrottleOptions) {
    this.#now = now
    this.#enabled = enabled
    this.#maxAddresses = maxAddresses
  }

  /**
   * Records that an address sent a wrong key or token.
   *
   * @throws AppError `throttled/too_many_attempts` with whole `retryAfterSeconds`, beyond the limit
   */
  failed(address: string): void {
    if (!this.#enabled) return
    const now = this.#now()
    const known = this.#failures.get(address)
    const failures = known !== undefined && now < known.endsAt ? known : { count: 0, endsAt: now + WINDOW_MS }
    this.#failures.delete(address)
    this.#failures.set(address, failures)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > this.#maxAddresses && oldest !== undefined) this.#failures.delete(oldest)
    if (failures.count === MOST_FAILURES) throw tooMany(Math.ceil((failures.endsAt - now) / 1000))
    failures.count++
  }
}

function tooMany(seconds: number): AppError {
  return new AppError('throttled', 'too_many_attempts', 'Too many wrong keys or tokens came from this address.', {
    hint: 'A correct one is accepted at any time.',
    retryAfterSeconds: seconds,
  })
}
