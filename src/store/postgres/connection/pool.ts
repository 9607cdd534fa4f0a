import { AppError } from '../../../model/app-error.js'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import { BoundedWork } from '../../bounded-work.js'
import { type Access, Connection, type Row, type Value } from './connection.js'

/** Maximum number of requests that wait for a connection; further ones are refused. */
const WAITING = 10_000
const CANCEL = /* sql */ `SELECT pg_cancel_backend($1)`

/** Connections to one database, opened as they are needed. */
export class Pool {
  readonly #idle: Connection[] = []
  readonly #work: BoundedWork
  #isClosed = false

  constructor(
    private readonly address: PostgresAddress,
    /** Shown in `pg_stat_activity`. */
    private readonly name: string,
    private readonly access: Access = 'write',
  ) {
    this.#work = new BoundedWork({
      inProgress: address.poolSize,
      waiting: WAITING,
      busy: 'Too many requests wait for the database.',
    })
  }

  /** @throws AppError `unavailable/…` */
  run(sql: string, ...values: Value[]): Promise<Row[]> {
    return this.use(connection => connection.run(sql, ...values))
  }

  /** @throws as the work; AppError `unavailable/…` */
  transaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.use(connection => connection.transaction(work))
  }

  /**
   * Runs work on a connection of its own. When the signal aborts, the running statement is cancelled, and this rejects
   * immediately with the reason of the signal.
   *
   * @throws AppError `unavailable/busy`, `unavailable/store_closed`, `unavailable/…`; as the work
   */
  use<Result>(work: (connection: Connection) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.#isClosed) return Promise.reject(new AppError('unavailable', 'store_closed', 'The database is closed.'))
    const used = this.#work.run(async () => {
      const connection = await this.#take()
      try {
        if (signal?.aborted) throw signal.reason
        return signal ? await this.#abortable(connection, work, signal) : await work(connection)
      } finally {
        this.#giveBack(connection)
      }
    }, signal)
    return signal ? untilAborted(used, signal) : used
  }

  /** Accepts no further work, completes what was accepted, and closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#work.finish()
    await Promise.all(this.#idle.splice(0).map(connection => connection.close()))
  }

  async #take(): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (!idle.isBroken) return idle
    return Connection.open(this.address, this.name, this.access)
  }

  #giveBack(connection: Connection): void {
    if (connection.isBroken) return
    if (this.#isClosed) void connection.close()
    else this.#idle.push(connection)
  }

  async #abortable<Result>(
    connection: Connection,
    work: (connection: Connection) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    let cancelled: Promise<void> | undefined
    const abort = () => {
      cancelled = this.#cancel(connection)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await work(connection)
    } finally {
      signal.removeEventListener('abort', abort)
      await cancelled
    }
  }

  /**
   * Ends the statement of a connection, through another one in its place. Does not use the connection again: the server
   * may cancel a moment later than requested.
   */
  async #cancel(connection: Connection): Promise<void> {
    const { processId } = connection
    connection.destroy()
    try {
      const other = await this.#take()
      await other.run(CANCEL, processId).finally(() => this.#giveBack(other))
    } catch {
      // The server will notice later that the connection is gone.
    }
  }
}

/** Rejects as soon as the signal aborts. */
async function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
