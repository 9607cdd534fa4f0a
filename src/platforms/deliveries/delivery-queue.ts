import { AppError } from '../../model/app-error.js'

/** A queued delivery. */
export interface WaitingDelivery {
  bytes: number
  /** Whether its signature or token has been verified. */
  isVerified: boolean
  refuse: (error: AppError) => void
}

/** Limit for unverified deliveries. */
const MAX_UNVERIFIED = 16
const MAX_UNVERIFIED_BYTES = 64 * 1024 * 1024

/**
 * The order in which deliveries are processed. Verified ones take precedence, in order of arrival. Of the others, the
 * smallest is next. If too many of them are queued, the largest is refused: a sender of large bodies cannot delay an
 * ordinary delivery.
 */
export class DeliveryQueue<Delivery extends WaitingDelivery> {
  readonly #verified: Delivery[] = []
  /** Ordered: smallest first. */
  readonly #unverified: Delivery[] = []
  #unverifiedBytes = 0

  /** Adds a delivery. If too many unverified ones are queued, refuses the largest, which may be the new one. */
  add(delivery: Delivery): void {
    if (delivery.isVerified) {
      this.#verified.push(delivery)
      return
    }
    const at = this.#unverified.findIndex(({ bytes }) => bytes > delivery.bytes)
    this.#unverified.splice(at === -1 ? this.#unverified.length : at, 0, delivery)
    this.#unverifiedBytes += delivery.bytes
    while (this.#unverified.length > MAX_UNVERIFIED || this.#unverifiedBytes > MAX_UNVERIFIED_BYTES) {
      this.#leave(this.#unverified.pop())?.refuse(busy())
    }
  }

  next(): Delivery | undefined {
    return this.#verified.shift() ?? this.#leave(this.#unverified.shift())
  }

  /** Refuses an unverified delivery if it is still queued. */
  giveUp(delivery: Delivery): void {
    const at = this.#unverified.indexOf(delivery)
    if (at !== -1) this.#leave(this.#unverified.splice(at, 1)[0])?.refuse(busy())
  }

  #leave(delivery: Delivery | undefined): Delivery | undefined {
    this.#unverifiedBytes -= delivery?.bytes ?? 0
    return delivery
  }
}

/** The refusal of a delivery for which there is no time now. */
export function busy(): AppError {
  const hint = 'Send it again in a moment. Verified deliveries take precedence.'
  return new AppError('unavailable', 'busy', 'Too many large deliveries are in progress.', {
    hint,
    retryAfterSeconds: 5,
  })
}
