import type { Micros } from '../../../model/timestamp.js'

/** A column `now_us`. */
export const NOW_US = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us`

/**
 * The clock of the database server: all servers of a ledger or board use it, so it does not matter whether their own
 * clocks are right. Between two readings, this machine only measures how much time passes.
 */
export class DatabaseClock {
  #read: Micros = 0
  #readAtMs = 0

  /** @param row with `NOW_US` */
  set(row: { now_us?: unknown } | undefined): void {
    this.#read = Number(row?.now_us)
    this.#readAtMs = performance.now()
  }

  readonly now = (): Micros => this.#read + Math.round((performance.now() - this.#readAtMs) * 1_000)
}
