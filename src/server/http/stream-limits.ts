import { AppError } from '../../model/app-error.js'
import type { ConnectionLimits } from './connection-limits.js'
import type { HttpRequest } from './route.js'

interface StreamLimitsParts {
  limits: Omit<ConnectionLimits, 'connections'>
  addressOf: (req: HttpRequest) => string
  /** The user who sent the request, if there is one. */
  userOf?: (req: HttpRequest) => string | undefined
  refused: () => void
}

const RETRY_AFTER_SECONDS = 5

/** Limits the number of event streams, exports and long polls: in total, per caller and per address. */
export class StreamLimits {
  readonly #taken = new Map<string, number>()
  /** One error for all refusals: during an attack, a new stack trace would cost a sixth of each refusal. */
  readonly #refusal = tooMany()

  constructor(private readonly parts: StreamLimitsParts) {}

  /** @returns releases the place @throws AppError `unavailable/busy` */
  take(req: HttpRequest): () => void {
    const { limits, addressOf, userOf, refused } = this.parts
    const address = `address ${addressOf(req)}`
    const user = userOf?.(req)
    const places = [
      { of: 'all', most: limits.held },
      { of: `caller ${user === undefined ? address : `user ${user}`}`, most: limits.heldByCaller },
      { of: address, most: limits.heldByAddress },
    ]
    if (places.some(({ of, most }) => (this.#taken.get(of) ?? 0) >= most)) {
      refused()
      throw this.#refusal
    }
    for (const { of } of places) this.#add(of, 1)
    return () => {
      for (const { of } of places) this.#add(of, -1)
    }
  }

  #add(of: string, change: number): void {
    const taken = (this.#taken.get(of) ?? 0) + change
    if (taken > 0) this.#taken.set(of, taken)
    else this.#taken.delete(of)
  }
}

function tooMany(): AppError {
  return new AppError('unavailable', 'busy', 'Too many event streams, exports and long polls are open.', {
    hint: 'Close some, or try again in a moment.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
