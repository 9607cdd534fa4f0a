import type { Logger } from 'pino'
import type { ConnectionUse } from './connections.js'

/** Which connection was closed or refused to keep room for others. */
export type ShedReason =
  /** Closed while it was used for that. */
  | Exclude<ConnectionUse, 'working'>
  /** A new one was not accepted: every other was being worked on. */
  | 'no_room'
  /** A stream or long poll was refused: there are as many as there may be. */
  | 'held_limit'

const LOG_EVERY_MS = 60_000

/** Counts what was shed, and logs it: the first time immediately, then what came since, once a minute. */
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
