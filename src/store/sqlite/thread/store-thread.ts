import { AppError } from '../../../model/app-error.js'
import type { Micros } from '../../../model/timestamp.js'
import { BoundedWork } from '../../bounded-work.js'
import type { Pruning } from '../../event-store.js'
import type { EngineOptions, LedgerFacts, LedgerTasks } from '../engine.js'
import type { PackedEvents, PackedOutcomes } from '../write/packed-events.js'
import type { StoreFile, TaskCall } from './protocol.js'
import { makeProxies, type Proxies, type TaskKinds } from './task.js'
import { WorkerCalls } from './worker-calls.js'

/**
 * Limits of searches. The thread alternates between those in progress, and each holds its findings so far: every search
 * has one slice before the first has its next. Further searches wait here.
 */
const SEARCHES = { inProgress: 32, waiting: 256, busy: 'Too many searches are in progress.' }
/** Limits of pages of a range. A page takes one slice, and does not wait for searches that wait. */
const PAGES = { inProgress: 64, waiting: 2_000, busy: 'Too many pages are being read.' }
/** Limits of reads. An answer may be as large as an event, so few of them are in progress together. */
const READS = { inProgress: 64, waiting: 10_000, busy: 'Too many requests wait for the ledger.' }

export interface StoreThreadOptions {
  /** Nothing can be stored any more: the thread died of a defect, or after `onLost` the content of the files was saved. */
  onFailure: (error: unknown) => void
  /** The files on the disk are no longer those that are open, or another attempt to save their content has failed. */
  onLost?: ((error: AppError) => void) | undefined
}

export interface LedgerFile extends StoreFile, Pick<EngineOptions, 'upgradeCopy'> {}

/** What the thread reports once the database is open. */
export interface StoreOpened extends LedgerFacts {
  kinds: TaskKinds<LedgerTasks>
}

/** The main thread's side of the ledger's thread. It bounds how many tasks are in progress and how many wait. */
export class StoreThread {
  readonly #searches = new BoundedWork(SEARCHES)
  readonly #pages = new BoundedWork(PAGES)
  readonly #reads = new BoundedWork(READS)
  /** Every task as a method. @throws AppError `unavailable/busy` for reads and queries */
  readonly stores: Proxies<LedgerTasks>
  /** Resolves with the error of the first task that found damage; the file stays damaged. */
  readonly damaged: Promise<AppError>
  /** The same error, after it is known. */
  damage: AppError | undefined

  private constructor(
    private readonly calls: WorkerCalls,
    kinds: TaskKinds<LedgerTasks>,
  ) {
    this.stores = makeProxies<LedgerTasks>(kinds, (call, signal) => this.#call(call, signal))
    this.damaged = new Promise(resolve => {
      calls.onError = error => {
        if (!(error instanceof AppError) || error.code !== 'store_corrupt') return
        this.damage ??= partlyDamaged(error)
        resolve(this.damage)
      }
    })
  }

  /** Starts the thread and opens the database. @throws AppError `unavailable/store_…`, `configuration/store_newer` */
  static async open(options: LedgerFile & StoreThreadOptions): Promise<{ thread: StoreThread; facts: LedgerFacts }> {
    const { path, ownerNonce, upgradeCopy, onFailure, onLost } = options
    const file = new URL('./worker.js', import.meta.url)
    const data: LedgerFile = { path, ownerNonce, upgradeCopy }
    const { calls, opened } = await WorkerCalls.start<StoreOpened>(file, { data, noun: 'ledger', onFailure, onLost })
    const { kinds, ...facts } = opened
    return { thread: new StoreThread(calls, kinds), facts }
  }

  /** Transfers the buffer of the events: it is empty on this side from then on. */
  record(packed: PackedEvents, now: Micros): Promise<PackedOutcomes> {
    return this.calls.ask({ kind: 'write', task: 'events.record', args: [packed, now] }, [packed.buffer])
  }

  erase(packed: PackedEvents, now: Micros, events: readonly Micros[]): Promise<PackedOutcomes> {
    return this.calls.ask({ kind: 'write', task: 'events.erase', args: [packed, now, events] }, [packed.buffer])
  }

  prune(packed: PackedEvents, now: Micros, pruning: Pick<Pruning, 'through' | 'entries'>): Promise<PackedOutcomes> {
    return this.calls.ask({ kind: 'write', task: 'events.prune', args: [packed, now, pruning] }, [packed.buffer])
  }

  /** Completes pending tasks, checkpoints the WAL and ends the thread. */
  close(): Promise<void> {
    return this.calls.close()
  }

  /**
   * An aborted query stops at its next slice, or never begins if it still waits. It rejects immediately with the reason
   * of the signal.
   */
  #call(call: TaskCall, signal: AbortSignal | undefined): Promise<unknown> {
    if (call.kind === 'write') return this.calls.ask(call)
    if (call.kind === 'read') return this.#reads.run(() => this.calls.ask(call))
    if (signal?.aborted) return Promise.reject(signal.reason)
    const work = call.kind === 'page' ? this.#pages : this.#searches
    return work.run(() => this.#query(call, signal), signal)
  }

  #query(call: TaskCall, signal: AbortSignal | undefined): Promise<unknown> {
    const { calls } = this
    const id = calls.nextId
    const answer = calls.ask(call)
    if (!signal) return answer
    const abort = () => calls.abort(id, signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    return answer.finally(() => signal.removeEventListener('abort', abort))
  }
}

function partlyDamaged(cause: AppError): AppError {
  const detail = 'Part of the ledger database is damaged. Requests that do not need that part still work.'
  return new AppError('unavailable', 'store_corrupt', detail, {
    hint: 'Stop the server, run `daybook ledger status --check`, and restore the file from a backup.',
    retryAfterSeconds: 60,
    cause,
  })
}
