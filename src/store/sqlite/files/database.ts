import { dirname } from 'node:path'
import sqlite, { type Database as Connection, type JSValue, type SQLiteValue, type Statement } from 'node-sqlite3-wasm'
import { AppError } from '../../../model/app-error.js'
import { syncFolder } from './file-system.js'
import { joiningWrites } from './joined-writes.js'
import { lostFiles, savedFiles, unsavedFiles } from './lost-files.js'
import { copyToNewFile } from './new-copy.js'
import { OpenFiles } from './open-files.js'
import { rescue } from './rescue.js'
import { toStoreError } from './store-error.js'

/** A commit that finds so many pages in the journal folds them into the file. */
const WAL_CHECKPOINT_PAGES = 2_000

/** An idle database looks so often whether its files are still on the disk, and tries so often to save them when they are not. */
const LOOK_MS = 2_000

/** NUL, and half of a surrogate pair. */
const CUT_SHORT = /[\0\p{Cs}]/u

export type Row = Record<string, SQLiteValue>

/** What a file holds. */
export interface DatabaseKind {
  /** In messages: "The <noun> database is damaged". */
  noun: string
  /** Refuses the file of another program before anything in it is changed. @throws AppError `configuration/store_foreign` */
  refuseForeign: (connection: Connection, path: string) => void
  /** In the owner record that has to lie beside the file as long as it is open. */
  ownerNonce?: string | undefined
  /**
   * The files on the disk are no longer those that are open; from now on every call fails with `unavailable/ledger_lost`.
   * Called when that is found, again with every failure to save what they hold, and with `isOver` when nothing is left to
   * be done: the process should end, and the database stays open until then.
   */
  onLost?: (error: AppError, isOver: boolean) => void
}

/** The files on the disk are no longer those that are open. */
interface Loss {
  /** Of every call from now on. */
  error: AppError
  /** Something of the database or its journal is not on the disk as it was. */
  hasToBeSaved: boolean
  /** The bytes of a file were cut or overwritten. */
  isChanged: boolean
  /** Why nothing could be saved when that was last tried. */
  unsaved?: AppError | undefined
  isOver?: boolean
}

/** What is known of a database's owner, and what it wants to be told. */
export type DatabaseGuard = Pick<DatabaseKind, 'ownerNonce' | 'onLost'>

/**
 * One opened file: statements prepared once, and transactions. It stays open while the disk fails: SQLite rolls back
 * and goes on, and reading still works. Opening anew would need a disk that can be written, for the lock alone.
 */
export class Database {
  #connection: Connection
  #statements = new Map<string, Statement>()
  /** Copies are made one after the other. */
  #copying: Promise<unknown> = Promise.resolve()
  readonly #files: OpenFiles
  readonly #timer: NodeJS.Timeout
  #loss: Loss | undefined

  /** @throws AppError `unavailable/store_…`, `configuration/store_foreign` */
  constructor(
    private readonly path: string,
    private readonly kind: DatabaseKind,
  ) {
    const { connection, files } = connect(path, kind)
    this.#connection = connection
    this.#files = files
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_MS).unref()
  }

  /**
   * Looks whether the open files are still those on the disk. Every commit does so before it returns, so that nothing is
   * acknowledged that only an unlinked file holds.
   *
   * @throws AppError `unavailable/ledger_lost`
   */
  verify(): void {
    if (!this.#connection.isOpen) return
    this.#verify({ isCommitted: false })
  }

  /**
   * Runs SQL that gives no rows. @returns how many rows changed.
   * @throws AppError `unavailable/store_…`, `unavailable/ledger_lost`
   */
  run(sql: string, ...values: JSValue[]): number {
    const changes = this.#use(sql, statement => statement.run(values.map(bindable)).changes)
    if (!this.#connection.inTransaction) this.#verify({ isCommitted: true })
    return changes
  }

  /**
   * Every row at once: `Statement.get()` stops after the first row and leaves the statement open, and then the next
   * COMMIT fails. @throws AppError `unavailable/store_…`
   */
  all(sql: string, ...values: JSValue[]): Row[] {
    return this.#use(sql, statement => statement.all(values.map(bindable)) as Row[])
  }

  first(sql: string, ...values: JSValue[]): Row | undefined {
    return this.all(sql, ...values)[0]
  }

  exec(sql: string): void {
    if (this.#loss) throw this.#loss.error
    try {
      this.#connection.exec(sql)
    } catch (error) {
      throw this.#toStoreError(error)
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
   * left to `checkpointWal`.
   */
  transactionWithoutCheckpoint<Result>(work: () => Result): Result {
    this.exec('PRAGMA wal_autocheckpoint = 0')
    return this.transaction(work)
  }

  /**
   * Copies what is in the journal into the file, which from now on happens by itself again.
   *
   * @throws AppError `unavailable/store_…` when the disk refuses
   */
  checkpointWal(): void {
    this.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
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

  /**
   * Folds the journal into the file. Not when the files on the disk are no longer those that are open: that would change
   * or delete what lies there. Then what they hold is saved, and the connection stays as it is.
   *
   * @throws AppError `unavailable/ledger_lost`
   */
  close(): void {
    clearInterval(this.#timer)
    if (!this.#connection.isOpen) return
    try {
      this.verify()
    } catch (error) {
      if (!this.#loss) throw error
      this.#save(this.#loss)
      this.#end(this.#loss)
      throw this.#loss.error
    }
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#connection.close()
    this.#files.close()
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

  async #copyTo(path: string): Promise<void> {
    await copyToNewFile(path, {
      from: this.path,
      begin: () => {
        this.#refuseClosed()
        this.verify()
        this.exec('PRAGMA wal_autocheckpoint = 0')
        const checkpoint = this.first('PRAGMA wal_checkpoint(TRUNCATE)')
        if (checkpoint?.busy !== 0) throw new Error(`The journal of ${this.path} was not folded into it`)
        this.#files.journalEmptied()
      },
      // Closing it folds the journal into the file, maybe while it was read.
      check: () => {
        this.#refuseClosed()
        this.verify()
      },
    }).finally(() => {
      if (this.#connection.isOpen && !this.#loss) this.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
    })
  }

  #refuseClosed(): void {
    if (this.#connection.isOpen) return
    throw new AppError('unavailable', 'stopping', `The ${this.kind.noun} database is closed. Nothing was copied.`)
  }

  #verify({ isCommitted }: { isCommitted: boolean }): void {
    if (this.#loss) throw this.#loss.error
    const differences = this.#files.differences(() => this.#pageCount(), { isCommitted })
    if (differences.length === 0) return
    const error = lostFiles(this.kind.noun, differences)
    const isMoved = differences.some(({ path }) => path === this.path || path === `${this.path}-wal`)
    this.#loss = { error, hasToBeSaved: isMoved, isChanged: differences.some(({ fault }) => fault === 'changed') }
    this.kind.onLost?.(error, false)
    this.#save(this.#loss)
    throw this.#loss.error
  }

  /** A disk in trouble says nothing about the file: then any number of pages may be right. */
  #pageCount(): number {
    try {
      const [row] = this.#connection.all('PRAGMA page_count') as { page_count: number }[]
      return row?.page_count ?? Number.POSITIVE_INFINITY
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return Number.POSITIVE_INFINITY
    }
  }

  #lookAgain(): void {
    try {
      this.verify()
    } catch (error) {
      if (!this.#loss) throw error
      this.#save(this.#loss)
    }
  }

  /** The process must not end before this has succeeded: with an unlinked file its bytes would go. */
  #save(loss: Loss): void {
    if (loss.isOver) return
    const { path } = this
    try {
      const saved = loss.hasToBeSaved
        ? rescue({
            ...{ path, time: compactTime(), descriptors: this.#files.descriptors },
            ...(loss.isChanged ? { copyRows: copy => this.#copyRows(copy) } : {}),
          })
        : undefined
      loss.error = savedFiles(loss.error, path, saved)
      loss.unsaved = undefined
      this.#end(loss)
    } catch (error) {
      loss.unsaved = unsavedFiles(loss.error, path, error)
      this.kind.onLost?.(loss.unsaved, false)
    }
  }

  #end(loss: Loss): void {
    if (loss.isOver) return
    loss.isOver = true
    clearInterval(this.#timer)
    loss.error = loss.unsaved ?? loss.error
    this.kind.onLost?.(loss.error, true)
  }

  /** Pages that the disk has lost may still be in SQLite's cache. A copy with holes would be worse than none. */
  #copyRows(path: string): void {
    if (this.#connection.inTransaction) throw new Error('The rows are being changed.')
    const [check] = this.#connection.all('PRAGMA integrity_check(1)') as { integrity_check: string }[]
    if (check?.integrity_check !== 'ok') throw new Error(check?.integrity_check)
    this.#connection.run('VACUUM INTO ?', [path])
  }

  #toStoreError(error: unknown): unknown {
    return toStoreError(error, { path: this.path, noun: this.kind.noun })
  }

  #use<Result>(sql: string, work: (statement: Statement) => Result): Result {
    if (this.#loss) throw this.#loss.error
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
 * The driver ends a text at a NUL and cuts it at half of a surrogate pair, so that it would be taken for a shorter text.
 * As bytes such a text is equal to no stored text, and a STRICT table refuses to store it.
 * Source: measured on node-sqlite3-wasm 0.8.60.
 */
function bindable(value: JSValue): JSValue {
  return typeof value === 'string' && CUT_SHORT.test(value) ? Buffer.from(value) : value
}

/**
 * EXCLUSIVE has to come before WAL: this build has no shared memory, so WAL is only granted to a single process
 * that keeps its lock. FULL: a commit is on the disk before it is answered.
 */
function connect(path: string, kind: DatabaseKind): { connection: Connection; files: OpenFiles } {
  const { noun, refuseForeign, ownerNonce } = kind
  let connection: Connection | undefined
  try {
    connection = new sqlite.Database(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    refuseForeign(connection, path)
    // No table of ours has foreign keys. Those of an older ledger would keep its tables from being replaced.
    connection.exec('PRAGMA foreign_keys = OFF')
    connection.exec('PRAGMA page_size = 8192')
    const [mode] = connection.all('PRAGMA journal_mode = WAL') as { journal_mode: string }[]
    if (mode?.journal_mode !== 'wal') throw new Error('disk I/O error: the journal cannot be kept as a WAL')
    connection.exec('PRAGMA synchronous = FULL')
    connection.exec('PRAGMA cache_size = -65536')
    connection.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`)
    connection.exec('PRAGMA temp_store = MEMORY')
    connection.all('PRAGMA schema_version') // SQLite makes the journal when it first reads.
    const files = new OpenFiles(path, ownerNonce)
    syncFolder(dirname(path))
    return { connection, files }
  } catch (error) {
    connection?.close() // or its lock would stay
    throw toStoreError(error, { path, noun })
  }
}

/** `2031-05-04T09:00:00.000Z` as `20310504T090000000Z`. */
function compactTime(): string {
  return new Date().toISOString().replace(/[-:.]/g, '')
}
