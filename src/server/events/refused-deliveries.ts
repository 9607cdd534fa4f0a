import { AppError } from '../../model/app-error.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'

export interface RefusedDelivery {
  source: string
  /** Code of the problem answer: `signature_invalid`, `body_too_large`. */
  code: string
  count: number
  last_at: string
}

/** Deliveries to webhooks that were answered with an error since the server started, by source and reason. */
export class RefusedDeliveries {
  readonly #since: string
  readonly #found = new Map<string, RefusedDelivery>()

  constructor(private readonly now: () => Micros) {
    this.#since = toTimestamp(now())
  }

  /** @param error what the handler threw */
  count(source: string, error: unknown): void {
    const code = error instanceof AppError ? error.code : 'internal'
    const count = (this.#found.get(`${source} ${code}`)?.count ?? 0) + 1
    this.#found.set(`${source} ${code}`, { source, code, count, last_at: toTimestamp(this.now()) })
  }

  list(): { since: string; items: RefusedDelivery[] } {
    return { since: this.#since, items: [...this.#found.values()] }
  }
}
