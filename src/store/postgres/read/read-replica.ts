import { AppError } from '../../../model/app-error.js'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import type { Micros } from '../../../model/timestamp.js'
import type { ReplicaHealth } from '../../event-store.js'
import type { Connection } from '../connection/connection.js'
import { Pool } from '../connection/pool.js'
import { stateOf } from '../connection/store-error.js'
import { type LedgerBounds, readBounds } from './ledger-bounds.js'

/** Reads check the standby again this long after the last check or failure. */
const CHECK_EVERY_MS = 5_000
/** A standby that takes longer for a check hangs. */
const CHECK_SECONDS = 2
/** New tables have not arrived yet. SQLSTATE of the class "syntax error or access rule violation". */
const OTHER_TABLES = '42'

/** SQLSTATE of a statement that was cancelled, by its time limit or by a caller. */
const STATEMENT_TIMEOUT = '57014'

export const IS_STANDBY = /* sql */ `SELECT pg_is_in_recovery() AS found`
const FIRST_AFTER = /* sql */ `
  SELECT captured_us, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us
  FROM events WHERE captured_us > $1 ORDER BY captured_us LIMIT 1`

/**
 * A standby of the database for reads that may be late. It shows an earlier state of the ledger, never with gaps. While
 * it cannot be read, the primary is read instead, and no caller waits for the standby.
 */
export class ReadReplica {
  readonly #pool: Pool
  /** Checks do not wait for long searches, and notice early that the standby hangs. */
  readonly #checks: Pool
  #isChecked = false
  /** Why the standby is not read. */
  #problem: AppError | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<ReplicaHealth> | undefined

  constructor(
    address: PostgresAddress,
    private readonly primary: Pool,
  ) {
    this.#pool = new Pool(address, 'daybook reading', 'read')
    const timeoutSeconds = Math.min(CHECK_SECONDS, address.timeoutSeconds)
    this.#checks = new Pool({ ...address, timeoutSeconds, poolSize: 1 }, 'daybook replica check', 'read')
  }

  /** As `Pool.use`. */
  async use<Result>(work: (connection: Connection) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (!this.#isChecked) await this.#check()
    // In the background; an error that is not expected appears in the answers of `health`. A standby that is promoted keeps
    // its connections.
    else if (performance.now() - this.#checkedAt > CHECK_EVERY_MS) this.#check().catch(() => undefined)
    if (this.#problem) return this.primary.use(work, signal)
    try {
      return await this.#pool.use(work, signal)
    } catch (error) {
      const problem = problemOf(error)
      if (!problem || signal?.aborted || isOverload(problem)) throw error
      this.#fail(problem)
      return this.primary.use(work, signal)
    }
  }

  /** How far it is behind. After a failure, the answer is that of the last check, and another check begins. */
  async health(): Promise<ReplicaHealth> {
    const checked = this.#check()
    if (!this.#problem) return checked
    checked.catch(() => undefined) // of the next call
    return { problem: this.#problem }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#checks.close()])
  }

  #check(): Promise<ReplicaHealth> {
    this.#checking ??= this.#compare().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #compare(): Promise<ReplicaHealth> {
    const [there, here] = await Promise.all([this.#readThere(), this.primary.use(readBounds)])
    if (there instanceof AppError || there.epoch !== here.epoch) {
      return { problem: this.#fail(there instanceof AppError ? there : otherLedger()) }
    }
    this.#noteCheck(undefined)
    const lagEvents = Math.max(0, here.count - there.count)
    return { lagEvents, lagSeconds: lagEvents === 0 ? 0 : await this.#secondsSince(there.head) }
  }

  async #readThere(): Promise<LedgerBounds | AppError> {
    try {
      return await this.#checks.use(async connection => {
        const [standby] = await connection.run(IS_STANDBY)
        return standby?.found === true ? readBounds(connection) : notAStandby()
      })
    } catch (error) {
      const problem = problemOf(error)
      if (!problem) throw error
      return problem
    }
  }

  #fail(problem: AppError): AppError {
    this.#noteCheck(problem)
    return problem
  }

  #noteCheck(problem: AppError | undefined): void {
    this.#isChecked = true
    this.#problem = problem
    this.#checkedAt = performance.now()
  }

  async #secondsSince(head: Micros | null): Promise<number> {
    const [first] = await this.primary.run(FIRST_AFTER, head ?? -1)
    return first ? Math.max(0, (Number(first.now_us) - Number(first.captured_us)) / 1_000_000) : 0
  }
}

/** Too many requests, or a search that takes too long: the standby itself answers, and the primary is not burdened too. */
function isOverload({ code, cause }: AppError): boolean {
  return code === 'busy' && (cause === undefined || stateOf(cause) === STATEMENT_TIMEOUT)
}

/** Why the standby cannot be read; undefined for an error that is not expected. */
function problemOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error.category === 'unavailable' ? error : undefined
  return stateOf(error)?.startsWith(OTHER_TABLES) ? otherLedger() : undefined
}

/** An old primary, or a copy, could show events that the ledger does not have. */
function notAStandby(): AppError {
  return new AppError('unavailable', 'store_failed', 'The database that EVENT_DB_READ names is not a standby.', {
    hint: 'Name a standby of the primary.',
  })
}

function otherLedger(): AppError {
  const message =
    'The database that EVENT_DB_READ names is not a replica of this ledger, or does not have its tables yet.'
  return new AppError('unavailable', 'store_failed', message, { hint: 'Correct the address.' })
}
