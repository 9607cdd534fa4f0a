import { AppError } from '../../model/app-error.js'
import { BoundedWork } from './thread/bounded-work.js'
import type { QueryTask, ReadTask, StoreFile, StoreOpened, StoreRequest, WriteTask } from './thread/protocol.js'
import { WorkerCalls } from './thread/worker-calls.js'

/**
 * Searches that the thread takes turns with; each holds what it has found so far, and a slice of each comes before the
 * next slice of the first. Those beyond wait here.
 */
const SEARCHES = { underWay: 32, waiting: 256, busy: 'Too many searches are under way.' }
/** Pages of a range, which take one slice: they wait for no search that waits. */
const PAGES = { underWay: 32, waiting: 2_000, busy: 'Too many pages are being read.' }
/** An answer may be as large as an event, so few of them are on their way together. */
const READS = { underWay: 64, waiting: 10_000, busy: 'Too many requests wait for the ledger.' }

export interface StoreThreadOptions {
  /** Nothing can be stored any more: the thread died of a defect, or `onLost` was called and what could be saved is. */
  onFailure: (error: unknown) => void
  /** The files on the disk are no longer those that are open, or what they hold could still not be saved. */
  onLost?: ((error: AppError) => void) | undefined
}

/** This side of the ledger's thread: what may be under way there, and what waits. */
export class StoreThread {
  readonly #searches = new BoundedWork(SEARCHES)
  readonly #pages = new BoundedWork(PAGES)
  readonly #reads = new BoundedWork(READS)
  /** Resolves with what the first task that met damage makes known; the file stays damaged. */
  readonly damaged: Promise<AppError>
  /** The same, once it is known. */
  damage: AppError | undefined

  private constructor(private readonly calls: WorkerCalls) {
    this.damaged = new Promise(resolve => {
      calls.onError = error => {
        if (!(error instanceof AppError) || error.code !== 'store_corrupt') return
        this.damage ??= partlyDamaged(error)
        resolve(this.damage)
      }
    })
  }

  /** Starts the thread and opens the database. @throws AppError `unavailable/store_…`, `configuration/store_newer` */
  static async open(options: StoreFile & StoreThreadOptions): Promise<{ thread: StoreThread; opened: StoreOpened }> {
    const { path, ownerNonce, onFailure, onLost } = options
    const file = new URL('./worker.js', import.meta.url)
    const data: StoreFile = { path, ownerNonce }
    const { calls, opened } = await WorkerCalls.start<StoreOpened>(file, { data, noun: 'ledger', onFailure, onLost })
    return { thread: new StoreThread(calls), opened }
  }

  /** @param transfer buffers of the task that change hands */
  write<Result>(task: WriteTask, transfer: ArrayBuffer[] = []): Promise<Result> {
    return this.calls.ask(id => ({ id, kind: 'write', task }) satisfies StoreRequest, transfer)
  }

  /** @throws AppError `unavailable/busy` */
  read<Result>(task: ReadTask): Promise<Result> {
    return this.#reads.run(() => this.calls.ask(id => ({ id, kind: 'read', task }) satisfies StoreRequest))
  }

  /**
   * An aborted query stops at its next slice, never begins where it still waits, and rejects immediately with the
   * signal's reason.
   *
   * @param isPlain it is over within one slice
   * @throws AppError `unavailable/busy`
   */
  query<Result>(task: QueryTask, signal?: AbortSignal, isPlain = false): Promise<Result> {
    signal?.throwIfAborted()
    const work = isPlain ? this.#pages : this.#searches
    return work.run(() => this.#query(task, signal), signal)
  }

  /** Carries out what was sent, checkpoints the journal and ends the thread. */
  close(): Promise<void> {
    return this.calls.close(id => ({ id, kind: 'close' }) satisfies StoreRequest)
  }

  #query<Result>(task: QueryTask, signal: AbortSignal | undefined): Promise<Result> {
    const { calls } = this
    const id = calls.nextId
    const answer = calls.ask<Result>(() => ({ id, kind: 'query', task }) satisfies StoreRequest)
    if (!signal) return answer
    const abort = () => {
      calls.tell({ id, kind: 'abort' } satisfies StoreRequest)
      calls.forget(id, signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    return answer.finally(() => signal.removeEventListener('abort', abort))
  }
}

function partlyDamaged(cause: AppError): AppError {
  const detail = 'Part of the ledger database is damaged. What can still be read and recorded is still answered.'
  return new AppError('unavailable', 'store_corrupt', detail, {
    hint: 'Stop the server, look with `daybook ledger status --check`, and restore the file from a backup.',
    retryAfterSeconds: 60,
    cause,
  })
}
