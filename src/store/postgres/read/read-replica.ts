import { AppError } from '../../../model/app-error.js'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import type { Micros } from '../../../model/timestamp.js'
import type { ReplicaHealth } from '../../event-store.js'
import type { Connection } from '../connection/connection.js'
import { Pool } from '../connection/pool.js'
import { stateOf } from '../connection/store-error.js'
import { readPlace } from './ledger-place.js'

/** How long reads use the primary after a failure. */
const REST_MS = 5_000
/** New tables have not arrived yet. SQLSTATE of the class "syntax error or access rule violation". */
const OTHER_TABLES = '42'

const FIRST_AFTER = /* sql */ `
  SELECT captured_us, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us
  FROM events WHERE captured_us > $1 ORDER BY captured_us LIMIT 1`

/**
 * A standby of the database for reads that may be late. It shows an earlier state of the ledger, never with gaps. While
 * it cannot be read, the primary is read instead.
 */
export class ReadReplica {
  readonly #pool: Pool
  #restsUntil = Number.NEGATIVE_INFINITY
  #isChecked = false

  constructor(
    address: PostgresAddress,
    private readonly primary: Pool,
  ) {
    this.#pool = new Pool(address, 'daybook reading', 'read')
  }

  /** As `Pool.use`. */
  async use<Result>(work: (connection: Connection) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (performance.now() < this.#restsUntil) return this.primary.use(work, signal)
    try {
      if (!this.#isChecked) await this.#check()
      return await this.#pool.use(work, signal)
    } catch (error) {
      const isTransient =
        error instanceof AppError ? error.category === 'unavailable' : stateOf(error)?.startsWith(OTHER_TABLES)
      if (!isTransient || signal?.aborted) throw error
      this.#restsUntil = performance.now() + REST_MS
      this.#isChecked = false
      return this.primary.use(work, signal)
    }
  }

  /** How far it is behind. */
  async health(): Promise<ReplicaHealth> {
    try {
      const [there, here] = await Promise.all([this.#pool.use(readPlace), this.primary.use(readPlace)])
      if (there.epoch !== here.epoch) throw otherLedger()
      const lagEvents = Math.max(0, here.count - there.count)
      return { lagEvents, lagSeconds: lagEvents === 0 ? 0 : await this.#secondsSince(there.head) }
    } catch (error) {
      if (error instanceof AppError) return { problem: error }
      if (stateOf(error)?.startsWith(OTHER_TABLES)) return { problem: otherLedger() }
      throw error
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #secondsSince(head: Micros | null): Promise<number> {
    const [first] = await this.primary.run(FIRST_AFTER, head ?? -1)
    return first ? Math.max(0, (Number(first.now_us) - Number(first.captured_us)) / 1_000_000) : 0
  }

  /** @throws AppError `unavailable/store_failed` */
  async #check(): Promise<void> {
    const { problem } = await this.health()
    if (problem) throw problem
    this.#isChecked = true
  }
}

function otherLedger(): AppError {
  const message =
    'The database that EVENT_DB_READ names is not a replica of this ledger, or does not have its tables yet.'
  return new AppError('unavailable', 'store_failed', message, { hint: 'Correct the address.' })
}
