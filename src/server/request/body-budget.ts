import { AppError } from '../../model/app-error.js'

/** The part of a budget that one body uses. */
export interface BodyShare {
  /** @throws AppError `unavailable/busy` if the budget is used up and no other body is slower or has a larger share */
  take(bytes: number): void
  /** The body is complete: it keeps its share, and is no longer refused in favour of another. */
  complete(): void
  /** Releases the share. */
  release(): void
}

interface Share {
  bytes: number
  /** Milliseconds. */
  startedAt: number
  refuse: (error: AppError) => void
}

/** From this age on, the rate of a body is meaningful. */
const SETTLED_MS = 2_000

/**
 * Limits the memory that the bodies of all requests use together. When it is used up, the body that arrives most slowly
 * is refused. If none is slower than one that has just begun, the one with the largest share is refused. So neither
 * many senders that stop halfway nor a few large bodies keep others out.
 */
export class BodyBudget {
  readonly #arriving = new Set<Share>()
  #free: number

  /**
   * @param bytes for all bodies together
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    bytes: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#free = bytes
  }

  /** @param refuse called when this body has to make room for another one, after its share was released */
  open(refuse: (error: AppError) => void): BodyShare {
    const share: Share = { bytes: 0, startedAt: this.now(), refuse }
    this.#arriving.add(share)
    return {
      take: bytes => {
        if (!this.#makeRoom(bytes, share)) throw busy()
        this.#free -= bytes
        share.bytes += bytes
      },
      complete: () => this.#arriving.delete(share),
      release: () => this.#release(share),
    }
  }

  #makeRoom(bytes: number, asking: Share): boolean {
    while (bytes > this.#free) {
      const isNew = this.now() - asking.startedAt < SETTLED_MS
      const other = this.#slowerThan(asking) ?? (isNew ? this.#largerThan(asking, bytes) : undefined)
      if (!other) return false
      this.#release(other)
      other.refuse(busy())
    }
    return true
  }

  /** The slowest body that is slower than `asking`. The rate of one that has just begun is unknown. */
  #slowerThan(asking: Share): Share | undefined {
    const now = this.now()
    const rateOf = ({ bytes, startedAt }: Share) =>
      now - startedAt < SETTLED_MS ? Number.POSITIVE_INFINITY : bytes / (now - startedAt)
    let slowest = asking
    for (const share of this.#arriving) {
      if (share.bytes > 0 && rateOf(share) < rateOf(slowest)) slowest = share
    }
    return slowest === asking ? undefined : slowest
  }

  #largerThan(asking: Share, bytes: number): Share | undefined {
    let largest: Share | undefined
    for (const share of this.#arriving) {
      if (share !== asking && share.bytes > (largest?.bytes ?? asking.bytes + bytes)) largest = share
    }
    return largest
  }

  #release(share: Share): void {
    this.#arriving.delete(share)
    this.#free += share.bytes
    share.bytes = 0
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'busy', 'Too many large bodies are arriving. Send it again in a moment.', {
    retryAfterSeconds: 1,
  })
}
