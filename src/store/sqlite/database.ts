import sqlite, { type Database as Connection, type JSValue, type SQLiteValue, type Statement } from 'node-sqlite3-wasm'
import { AppError } from '../../model/app-error.js'
import { toStoreError } from './errors.js'
import { joiningWrites } from './joined-writes.js'
import { copyToNewFile } from './new-copy.js'

/** A commit that finds so many pages in the journal folds them into the file. */
const FOLDED_AT_PAGES = 2_000

export type Row = Record<string, SQLiteValue>

/** What a file holds. */
export interface DatabaseKind {
  /** In messages: "The <noun> database is damaged". */
  noun: string
  /** Refuses the file of another program before anything in it is changed. @throws AppError `configuration/store_foreign` */
  refuseForeign: (connection: Connection, path: string) => void
}

/**
 * One opened file: statements prepared once, and transactions. It stays open while the disk fails: SQLite rolls back
 * and goes on, and reading still works. Opening anew would need a disk that can be written, for the lock alone.
 */
export class Database {
  #connection: Connection
  #statements = new Map<string, Statement>()
  /** Copies are made one after the other. */
  #copying: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly path: string,
    private readonly kind: DatabaseKind,
  ) {
    this.#connection = connect(path, kind)
  }

  /** Runs SQL that gives no rows. @returns how many rows changed. @throws AppError `unavailable/store_…` */
  run(sql: string, ...values: JSValue[]): number {
    return this.#use(sql, statement => statement.run(values).changes)
  }

  /**
   * Every row at once: `Statement.get()` stops after the first row and leaves the statement open, and then the next
   * COMMIT fails. @throws AppError `unavailable/store_…`
   */
  all(sql: string, ...values: JSValue[]): Row[] {
    return this.#use(sql, statement => statement.all(values) as Row[])
  }

  first(sql: string, ...values: JSValue[]): Row | undefined {
    return this.all(sql, ...values)[0]
  }

  exec(sql: string): void {
    try {
      this.#connection.exec(sql)
    } catch (error) {
      throw toStoreError(error, { path: this.path, noun: this.kind.noun })
    }
  }

  /**
   * Like `transaction`, for work that can be done again from what is committed: it reaches the disk with the next
   * transaction, not before this returns.
   */
  laterDurable<Result>(work: () => Result): Result {
    this.exec('PRAGMA synchronous = NORMAL')
    try {
      return this.#transaction(work)
    } finally {
      this.exec('PRAGMA synchronous = FULL')
    }
  }

  /**
   * Like `transaction`, but neither it nor those after it fold the journal into the file, however long it gets: that is
   * left to `foldJournal`.
   */
  foldedLater<Result>(work: () => Result): Result {
    this.exec('PRAGMA wal_autocheckpoint = 0')
    return this.transaction(work)
  }

  /**
   * Copies what is in the journal into the file, which from now on happens by itself again.
   *
   * @throws AppError `unavailable/store_…` when the disk refuses
   */
  foldJournal(): void {
    this.exec(`PRAGMA wal_autocheckpoint = ${FOLDED_AT_PAGES}`)
    joiningWrites(() => this.all('PRAGMA wal_checkpoint(PASSIVE)'))
  }

  /** All of `work` or nothing. @throws AppError `unavailable/store_…` when the disk refuses */
  transaction<Result>(work: () => Result): Result {
    return joiningWrites(() => this.#transaction(work))
  }

  /**
   * Makes a consistent copy while it goes on being read and written: the file holds all that is committed now, and until
   * the copy is done nothing is folded into it.
   *
   * @param path of a file that is not there yet
   * @throws AppError as `copyToNewFile`; `unavailable/store_…`; `unavailable/stopping` when it was closed meanwhile
   */
  copyTo(path: string): Promise<void> {
    const copy = this.#copying.then(() => this.#copyTo(path))
    this.#copying = copy.catch(() => undefined)
    return copy
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  #transaction<Result>(work: () => Result): Result {
    try {
      this.run('BEGIN IMMEDIATE')
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      // SQLite has already rolled back after some failures of the disk; a second ROLLBACK would hide the first error.
      if (this.#connection.inTransaction) this.exec('ROLLBACK')
      throw error
    }
  }

  async #copyTo(path: string): Promise<void> {
    await copyToNewFile(path, {
      from: this.path,
      begin: () => {
        this.#refuseClosed()
        this.exec('PRAGMA wal_autocheckpoint = 0')
        const checkpoint = this.first('PRAGMA wal_checkpoint(TRUNCATE)')
        if (checkpoint?.busy !== 0) throw new Error(`The journal of ${this.path} was not folded into it`)
      },
      // Closing it folds the journal into the file, maybe while it was read.
      check: () => this.#refuseClosed(),
    }).finally(() => {
      if (this.#connection.isOpen) this.exec(`PRAGMA wal_autocheckpoint = ${FOLDED_AT_PAGES}`)
    })
  }

  #refuseClosed(): void {
    if (this.#connection.isOpen) return
    throw new AppError('unavailable', 'stopping', `The ${this.kind.noun} database is closed. Nothing was copied.`)
  }

  #use<Result>(sql: string, work: (statement: Statement) => Result): Result {
    try {
      return work(this.#statement(sql))
    } catch (error) {
      this.#discard(sql)
      throw toStoreError(error, { path: this.path, noun: this.kind.noun })
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** A statement that failed once would fail again the next time, for the same reason: the driver takes it for new. */
  #discard(sql: string): void {
    try {
      this.#statements.get(sql)?.finalize()
    } catch (error) {
      if (!(error instanceof Error)) throw error // finalize says once more what its last step failed with
    }
    this.#statements.delete(sql)
  }
}

/**
 * EXCLUSIVE has to come before WAL: this build has no shared memory, so WAL is only granted to a single process
 * that keeps its lock. FULL: a commit is on the disk before it is answered.
 */
function connect(path: string, { noun, refuseForeign }: DatabaseKind): Connection {
  let connection: Connection | undefined
  try {
    connection = new sqlite.Database(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    refuseForeign(connection, path)
    connection.exec('PRAGMA page_size = 8192')
    const [mode] = connection.all('PRAGMA journal_mode = WAL') as { journal_mode: string }[]
    if (mode?.journal_mode !== 'wal') throw new Error('disk I/O error: the journal cannot be kept as a WAL')
    connection.exec('PRAGMA synchronous = FULL')
    connection.exec('PRAGMA cache_size = -65536')
    connection.exec(`PRAGMA wal_autocheckpoint = ${FOLDED_AT_PAGES}`)
    connection.exec('PRAGMA temp_store = MEMORY')
    return connection
  } catch (error) {
    connection?.close() // or its lock would stay
    throw toStoreError(error, { path, noun })
  }
}
