import type { Logger } from 'pino'
import type { ConnectionUse } from './connections.js'

/** Why a connection was closed or refused to keep room for others. */
export type ShedReason =
  /** A connection was closed while it had this use. */
  | Exclude<ConnectionUse, 'working'>
  /** A new connection was not accepted, because a request was being processed on every other one. */
  | 'no_room'
  /** A stream, export or long poll was refused, because the maximum number is open. */
  | 'held_limit'

const LOG_EVERY_MS = 60_000

/** Counts shed connections and logs the counts: the first time immediately, then at most once a minute. */
export class ShedReport {
  #counts: Partial<Record<ShedReason, number>> = {}
  #waiting: NodeJS.Timeout | undefined

  /** @param measure called each time */
  constructor(
    private readonly logger: Logger,
    private readonly measure: (reason: ShedReason) => void = () => {},
    private readonly everyMs = LOG_EVERY_MS,
  ) {}

  count(reason: ShedReason): void {
    this.measure(reason)
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1
    if (!this.#waiting) this.#log()
  }

  #log(): void {
    this.#waiting = undefined
    if (Object.keys(this.#counts).length === 0) return
    this.logger.warn({ shed: this.#counts }, 'connections were closed or refused to keep room for others')
    this.#counts = {}
    this.#waiting = setTimeout(() => this.#log(), this.everyMs).unref()
  }
}
