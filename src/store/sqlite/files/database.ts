import { dirname } from 'node:path'
import sqlite, { type Database as Connection, type JSValue, type SQLiteValue, type Statement } from 'node-sqlite3-wasm'
import { AppError } from '../../../model/app-error.js'
import { SerialQueue } from '../../../model/serial-queue.js'
import { syncFolder } from './file-system.js'
import { joiningWrites } from './joined-writes.js'
import { type LossHandling, LossWatch } from './loss-watch.js'
import { copyToNewFile } from './new-copy.js'
import { toStoreError } from './store-error.js'

/** A commit that leaves at least this many pages in the WAL starts a WAL checkpoint. */
const WAL_CHECKPOINT_PAGES = 2_000

/** Lets unused pages be returned to the file system, a few at a time. */
const SET_AUTO_VACUUM = /* sql */ `PRAGMA auto_vacuum = INCREMENTAL`

/** Characters at which the driver cuts a text: NUL, and half of a surrogate pair. */
const CUT_SHORT = /[\0\p{Cs}]/u

export type Row = Record<string, SQLiteValue>

/** The kind of content of a database file. */
interface DatabaseKind extends LossHandling {
  /** In messages: "The <noun> database is damaged". */
  noun: string
  /** Refuses the file of another program before anything in it is changed. @throws AppError `configuration/store_foreign` */
  refuseForeign: (connection: Connection, path: string) => void
}

/**
 * One opened file: statements prepared once, and transactions. It stays open while the disk fails: SQLite rolls back
 * and continues, and reading still works. Opening the file again would need a writable disk, if only for the lock.
 */
export class Database {
  readonly #connection: Connection
  readonly #watch: LossWatch
  #statements = new Map<string, Statement>()
  /** Copies are made one after the other. */
  readonly #copies = new SerialQueue()
  /** A copy reads the file: nothing may write to it. */
  #isCopied = false
  /** `emptyWal` was called during a copy. */
  #emptyWalLater = false

  /** @throws AppError `unavailable/store_…`, `configuration/store_foreign` */
  constructor(
    readonly path: string,
    private readonly kind: DatabaseKind,
  ) {
    const { connection, watch } = connect(path, kind)
    this.#connection = connection
    this.#watch = watch
  }

  /**
   * Checks that the open files are still those on the disk. Every commit does so before it returns: an unlinked file must
   * not be the only place of an acknowledged row.
   *
   * @throws AppError `unavailable/ledger_lost`
   */
  verify(): void {
    if (this.#connection.isOpen) this.#watch.check({ isCommitted: false })
  }

  /**
   * Runs SQL that gives no rows. @returns how many rows changed.
   * @throws AppError `unavailable/store_…`, `unavailable/ledger_lost`
   */
  run(sql: string, ...values: JSValue[]): number {
    const changes = this.#use(sql, statement => statement.run(values.map(bindable)).changes)
    if (!this.#connection.inTransaction) this.#watch.check({ isCommitted: true })
    return changes
  }

  /**
   * Every row: `Statement.get()` stops after the first row and leaves the statement open, and then the next COMMIT
   * fails. @throws AppError `unavailable/store_…`
   */
  all(sql: string, ...values: JSValue[]): Row[] {
    return this.#use(sql, statement => statement.all(values.map(bindable)) as Row[])
  }

  first(sql: string, ...values: JSValue[]): Row | undefined {
    return this.all(sql, ...values)[0]
  }

  exec(sql: string): void {
    this.#watch.refuseLost()
    try {
      this.#connection.exec(sql)
    } catch (error) {
      throw this.#toStoreError(error)
    }
  }

  /**
   * Like `transaction`, for work that can be repeated from committed rows: it reaches the disk with the next transaction,
   * not before this returns.
   */
  withRelaxedSync<Result>(work: () => Result): Result {
    this.exec('PRAGMA synchronous = NORMAL')
    try {
      return this.#transaction(work)
    } finally {
      this.exec('PRAGMA synchronous = FULL')
    }
  }

  /** Like `transaction`, but neither it nor later ones start a WAL checkpoint until `checkpointWal` is called. */
  transactionWithoutCheckpoint<Result>(work: () => Result): Result {
    this.exec('PRAGMA wal_autocheckpoint = 0')
    return this.transaction(work)
  }

  /**
   * Copies the WAL into the file. From now on, commits start WAL checkpoints again. If a copy is in progress, its end
   * does this.
   *
   * @throws AppError `unavailable/store_…` when the disk refuses
   */
  checkpointWal(): void {
    if (this.#isCopied) return
    this.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
    joiningWrites(() => this.all('PRAGMA wal_checkpoint(PASSIVE)'))
  }

  /**
   * Copies the WAL into the file and leaves the WAL without bytes: deleted content is then in neither. If a copy is in
   * progress, its end does this.
   *
   * @throws AppError `unavailable/store_…`
   */
  emptyWal(): void {
    this.#emptyWalLater = this.#isCopied
    if (this.#isCopied) return
    this.verify()
    const checkpoint = joiningWrites(() => this.first('PRAGMA wal_checkpoint(TRUNCATE)'))
    if (checkpoint?.busy !== 0) throw new Error(`The WAL of ${this.path} was not copied into it`)
    this.#watch.walEmptied()
  }

  /** Number of unused pages of the file. */
  get unusedPages(): number {
    return Number(this.first('PRAGMA freelist_count')?.freelist_count)
  }

  /** Returns up to `count` unused pages at the end of the file to the file system, unless an older release made the file. */
  returnUnusedPages(count: number): void {
    const pages = this.#pageCount()
    // Two more: pages that describe other pages are returned with them.
    this.#watch.allowShrinking({ from: pages, to: pages - count - 2 })
    this.withRelaxedSync(() => this.all(`PRAGMA incremental_vacuum(${count})`))
  }

  /** Rewrites the file without unused pages, so that later ones can be returned. It takes as long as a copy. */
  rebuild(): void {
    this.#watch.allowShrinking({ from: this.#pageCount(), to: 1 })
    this.exec(SET_AUTO_VACUUM) // of the file that VACUUM writes
    this.exec('VACUUM')
    this.emptyWal()
  }

  /** All of `work` or nothing. @throws AppError `unavailable/store_…` when the disk refuses */
  transaction<Result>(work: () => Result): Result {
    return joiningWrites(() => this.#transaction(work))
  }

  /**
   * Makes a consistent copy while the database is read and written.
   *
   * @param path of a new file
   * @throws AppError as `copyToNewFile`; `unavailable/store_…`; `unavailable/stopping` if the database is closed
   */
  copyTo(path: string, signal?: AbortSignal): Promise<void> {
    return this.#copies.run(() => this.#copyTo(path, signal))
  }

  /**
   * Copies the WAL into the file, unless the files on the disk are no longer those that are open: that would change or
   * delete other files. Then the content of the open files is saved, and the connection stays as it is.
   *
   * @throws AppError `unavailable/ledger_lost`
   */
  close(): void {
    if (!this.#connection.isOpen) return
    this.#watch.finish()
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#connection.close()
    this.#watch.close()
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
      if (error instanceof AppError) this.verify()
      throw error
    }
  }

  async #copyTo(path: string, signal?: AbortSignal): Promise<void> {
    const source = { from: this.path, begin: () => this.beginCopy(), check: () => this.checkCopy(), signal }
    await copyToNewFile(path, source).finally(() => this.endCopy())
  }

  /**
   * Copies all that is committed now into the file, by a WAL checkpoint. The file stays as it is until `endCopy`.
   *
   * @throws AppError `unavailable/store_…`, `unavailable/stopping` if the database is closed
   */
  beginCopy(): void {
    this.#refuseClosed()
    this.verify()
    this.exec('PRAGMA wal_autocheckpoint = 0')
    this.emptyWal()
    this.#isCopied = true
  }

  /**
   * Call it when the whole file has been read: closing the database copies the WAL into the file.
   *
   * @throws as `beginCopy`
   */
  checkCopy(): void {
    this.#refuseClosed()
    this.verify()
  }

  /** The next commit with a large WAL starts a WAL checkpoint again. */
  endCopy(): void {
    this.#isCopied = false
    if (!this.#connection.isOpen || this.#watch.isLost) return
    this.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
    if (this.#emptyWalLater) this.emptyWal()
  }

  #pageCount(): number {
    return Number(this.first('PRAGMA page_count')?.page_count)
  }

  #refuseClosed(): void {
    if (this.#connection.isOpen) return
    throw new AppError('unavailable', 'stopping', `The ${this.kind.noun} database is closed. Nothing was copied.`)
  }

  #toStoreError(error: unknown): unknown {
    return toStoreError(error, { path: this.path, noun: this.kind.noun })
  }

  #use<Result>(sql: string, work: (statement: Statement) => Result): Result {
    this.#watch.refuseLost()
    try {
      return work(this.#statement(sql))
    } catch (error) {
      this.#discard(sql)
      throw this.#toStoreError(error)
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

  /** Discards a statement that failed: the driver does not reset it, so it would fail again with the same error. */
  #discard(sql: string): void {
    try {
      this.#statements.get(sql)?.finalize()
    } catch (error) {
      if (!(error instanceof Error)) throw error // finalize throws the error of the last step again
    }
    this.#statements.delete(sql)
  }
}

/**
 * The driver ends a text at a NUL and cuts it at half of a surrogate pair, so it would equal a shorter text. As bytes,
 * such a text equals no stored text, and a STRICT table refuses to store it. Source: measured on node-sqlite3-wasm
 * 0.8.60.
 */
function bindable(value: JSValue): JSValue {
  return typeof value === 'string' && CUT_SHORT.test(value) ? Buffer.from(value) : value
}

/**
 * EXCLUSIVE has to come before WAL: this build has no shared memory, so it grants WAL only to a single process that keeps
 * its lock. FULL: a commit is on the disk before it is answered.
 */
function connect(path: string, kind: DatabaseKind): { connection: Connection; watch: LossWatch } {
  const { noun, refuseForeign } = kind
  let connection: Connection | undefined
  try {
    connection = new sqlite.Database(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    refuseForeign(connection, path)
    // No table of ours has foreign keys. Those of an older ledger would keep its tables from being replaced.
    connection.exec('PRAGMA foreign_keys = OFF')
    connection.exec('PRAGMA page_size = 8192')
    // For a new file; `rebuild` changes others. With a file that has the mode already, the pragma would write.
    if (isEmpty(connection)) connection.exec(SET_AUTO_VACUUM)
    connection.exec('PRAGMA secure_delete = ON')
    const [mode] = connection.all('PRAGMA journal_mode = WAL') as { journal_mode: string }[]
    if (mode?.journal_mode !== 'wal') throw new Error('disk I/O error: the database cannot use a WAL')
    connection.exec('PRAGMA synchronous = FULL')
    connection.exec('PRAGMA cache_size = -65536')
    connection.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
    connection.exec('PRAGMA temp_store = MEMORY')
    connection.all('PRAGMA schema_version') // SQLite creates the WAL when it first reads.
    syncFolder(dirname(path))
    return { connection, watch: new LossWatch(connection, path, kind) }
  } catch (error) {
    connection?.close() // otherwise its lock would stay
    throw toStoreError(error, { path, noun })
  }
}

function isEmpty(connection: Connection): boolean {
  const [row] = connection.all('PRAGMA page_count') as { page_count: number }[]
  return row?.page_count === 0
}

/**
 * Copies a database that this process owns and has not opened. A backup need not know the schema.
 *
 * @param noun in messages
 * @throws as `Database.copyTo`
 */
export async function copyClosedDatabase(
  path: string,
  to: string,
  { noun, signal }: { noun: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const database = new Database(path, { noun, refuseForeign: () => {} })
  try {
    await database.copyTo(to, signal)
  } finally {
    database.close()
  }
}
