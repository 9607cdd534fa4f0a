import { AppError } from '../../model/app-error.js'

/** A queued delivery. */
export interface WaitingDelivery {
  bytes: number
  /** Whether its signature or token has been verified. */
  isProved: boolean
  refuse: (error: AppError) => void
}

/** Limit for unproved deliveries. */
const MAX_UNPROVED = 16
const MAX_UNPROVED_BYTES = 64 * 1024 * 1024

/**
 * The order in which deliveries are processed. Verified ones take precedence, in order of arrival. Of the others, the
 * smallest is next. If too many of them are queued, the largest is refused: a sender of large bodies cannot delay an
 * ordinary delivery.
 */
export class DeliveryQueue<Delivery extends WaitingDelivery> {
  readonly #proved: Delivery[] = []
  /** Ordered: smallest first. */
  readonly #unproved: Delivery[] = []
  #unprovedBytes = 0

  /** Adds a delivery. If too many unproved ones are queued, refuses the largest, which may be the new one. */
  add(delivery: Delivery): void {
    if (delivery.isProved) {
      this.#proved.push(delivery)
      return
    }
    const at = this.#unproved.findIndex(({ bytes }) => bytes > delivery.bytes)
    this.#unproved.splice(at === -1 ? this.#unproved.length : at, 0, delivery)
    this.#unprovedBytes += delivery.bytes
    while (this.#unproved.length > MAX_UNPROVED || this.#unprovedBytes > MAX_UNPROVED_BYTES) {
      this.#leave(this.#unproved.pop())?.refuse(busy())
    }
  }

  next(): Delivery | undefined {
    return this.#proved.shift() ?? this.#leave(this.#unproved.shift())
  }

  /** Refuses an unproved delivery if it is still queued. */
  giveUp(delivery: Delivery): void {
    const at = this.#unproved.indexOf(delivery)
    if (at !== -1) this.#leave(this.#unproved.splice(at, 1)[0])?.refuse(busy())
  }

  #leave(delivery: Delivery | undefined): Delivery | undefined {
    this.#unprovedBytes -= delivery?.bytes ?? 0
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
