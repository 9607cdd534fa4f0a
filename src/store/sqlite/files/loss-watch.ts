import type { Database as Connection } from 'node-sqlite3-wasm'
import { AppError } from '../../../model/app-error.js'
import { type FileDifference, type FileFault, OpenFiles } from './open-files.js'
import { type Rescue, rescue } from './rescue.js'

/** How often an idle database checks that its files are still on the disk, and tries again to save lost ones. */
const CHECK_MS = 2_000

/** What a database needs to notice the loss of its files and to report it. */
export interface LossHandling {
  /** Nonce of the owner record, which has to exist next to the file while it is open. */
  ownerNonce?: string | undefined
  /**
   * The files on the disk are no longer those that are open; from now on every call fails with
   * `unavailable/ledger_lost`. Called when the loss is found, again after every failed attempt to save the content, and
   * with `isOver` when nothing is left to do: the process should end, and the database stays open until then.
   */
  onLost?: (error: AppError, isOver: boolean) => void
}

interface Loss {
  /** The error of every call from now on. */
  error: AppError
  /** A part of the database or its WAL is not on the disk as it was. */
  hasToBeSaved: boolean
  /** The bytes of a file were cut or overwritten. */
  isChanged: boolean
  /** The reason why the last attempt to save the content failed. */
  unsaved?: AppError | undefined
  isOver?: boolean
}

/** Notices when the files on the disk are no longer those that a connection has open, and then saves their content. */
export class LossWatch {
  readonly #files: OpenFiles
  readonly #timer: NodeJS.Timeout
  #loss: Loss | undefined

  constructor(
    private readonly connection: Connection,
    private readonly path: string,
    private readonly kind: LossHandling & { noun: string },
  ) {
    this.#files = new OpenFiles(path, kind.ownerNonce)
    this.#timer = setInterval(() => this.#checkIdle(), CHECK_MS).unref()
  }

  get isLost(): boolean {
    return this.#loss !== undefined
  }

  /** @throws AppError `unavailable/ledger_lost` if a check has found the loss */
  refuseLost(): void {
    if (this.#loss) throw this.#loss.error
  }

  /**
   * Compares the files on the disk with the open ones.
   *
   * @param options `isCommitted`: the WAL ends with a commit of this connection
   * @throws AppError `unavailable/ledger_lost`
   */
  check({ isCommitted }: { isCommitted: boolean }): void {
    this.refuseLost()
    const differences = this.#files.differences(() => this.#pageCount(), { isCommitted })
    if (differences.length === 0) return
    this.#loss = this.#lossOf(differences)
    this.kind.onLost?.(this.#loss.error, false)
    // If only the owner record is gone, the removal of the whole folder may be in progress: the timer checks again.
    if (this.#loss.hasToBeSaved) this.#save(this.#loss)
    throw this.#loss.error
  }

  /** Pages are returned to the file system: see `OpenFiles`. */
  allowShrinking(pages: { from: number; to: number }): void {
    this.#files.allowShrinking(pages)
  }

  /** SQLite has just emptied the WAL on our request. */
  walEmptied(): void {
    this.#files.walEmptied()
  }

  /** The last check, before the connection is closed. Lost files are saved. @throws AppError `unavailable/ledger_lost` */
  finish(): void {
    clearInterval(this.#timer)
    try {
      this.check({ isCommitted: false })
    } catch (error) {
      if (!this.#loss) throw error
      this.#save(this.#loss)
      this.#end(this.#loss)
      throw this.#loss.error
    }
  }

  close(): void {
    this.#files.close()
  }

  #checkIdle(): void {
    try {
      this.check({ isCommitted: false })
    } catch (error) {
      if (!this.#loss) throw error
      this.#save(this.#loss)
    }
  }

  #lossOf(differences: readonly FileDifference[]): Loss {
    return {
      error: lostFiles(this.kind.noun, differences),
      hasToBeSaved: differences.some(({ path }) => path === this.path || path === `${this.path}-wal`),
      isChanged: differences.some(({ fault }) => fault === 'changed'),
    }
  }

  /** A failing disk proves nothing about the file: then any number of pages may be right. */
  #pageCount(): number {
    try {
      const [row] = this.connection.all('PRAGMA page_count') as { page_count: number }[]
      return row?.page_count ?? Number.POSITIVE_INFINITY
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return Number.POSITIVE_INFINITY
    }
  }

  /** The process must not end before this has succeeded: the bytes of an unlinked file would be lost with it. */
  #save(loss: Loss): void {
    if (loss.isOver) return
    const { path } = this
    try {
      if (!loss.hasToBeSaved) {
        const differences = this.#files.differences(() => this.#pageCount(), { isCommitted: false })
        if (differences.length > 0) Object.assign(loss, this.#lossOf(differences))
      }
      const saved = loss.hasToBeSaved
        ? rescue({
            path,
            time: compactTime(),
            descriptors: this.#files.descriptors,
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

  /** Pages that the disk has lost may still be in the cache of SQLite. A copy with holes would be worse than none. */
  #copyRows(path: string): void {
    if (this.connection.inTransaction) throw new Error('The rows are being changed.')
    const [check] = this.connection.all('PRAGMA integrity_check(1)') as { integrity_check: string }[]
    if (check?.integrity_check !== 'ok') throw new Error(check?.integrity_check)
    this.connection.run('VACUUM INTO ?', [path])
  }
}

const FAULTS: Record<FileFault, string> = {
  removed: 'is gone',
  replaced: 'was replaced',
  changed: 'was cut or overwritten',
}

/** The files of a database are no longer on the disk as they were opened. */
function lostFiles(noun: string, differences: readonly FileDifference[]): AppError {
  const found = differences.map(({ path, fault }) => `${path} ${FAULTS[fault]}`).join(', ')
  return lost(`The ${noun} database is no longer the one on the disk: ${found}. Nothing more is stored.`)
}

/** The same error, with the place of the saved rows and the next step. */
function savedFiles(error: AppError, path: string, saved: Rescue | undefined): AppError {
  if (saved === undefined) return lost(`${error.message} All that was acknowledged is in ${path}.`)
  const { database, wal, isWhole } = saved
  const files = wal === undefined ? database : `${database} and ${wal}`
  if (!isWhole) {
    const hint = 'Restore a backup; the rows that can still be read there are newer than it.'
    return lost(`${error.message} Some of its bytes are lost; what is left is in ${files}.`, hint)
  }
  const away = `Move what is left of ${path} and ${path}-wal away`
  const back = wal === undefined ? `${database} to ${path}` : `${database} to ${path}, ${wal} to ${path}-wal`
  return lost(`${error.message} All that was acknowledged is in ${files}.`, `${away}, rename ${back}, and start again.`)
}

/** The same error, while the rows are only in the memory of this process and in files without a name. */
function unsavedFiles(error: AppError, path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const hint = 'Make room for a copy and leave this process running: it tries again every two seconds.'
  return lost(`${error.message} Its content cannot be saved next to ${path} yet (${reason}).`, hint)
}

function lost(message: string, hint?: string): AppError {
  return new AppError('unavailable', 'ledger_lost', message, {
    ...(hint === undefined ? {} : { hint }),
    retryAfterSeconds: 60,
  })
}

/** `2031-05-04T09:00:00.000Z` as `20310504T090000000Z`. */
function compactTime(): string {
  return new Date().toISOString().replace(/[-:.]/g, '')
}
