import { Worker } from 'node:worker_threads'
import { AppError } from '../../model/app-error.js'
import { fromFailure } from '../../model/failure.js'
import type { QueryTask, ReadTask, StoreOpened, StoreReply, StoreRequest, WriteTask } from './protocol.js'

interface Waiting {
  id: number
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** This side of the store's thread: asks, and resolves what comes back. */
export class StoreThread {
  /**
   * Few at a time. Not a Map: an old hash table is not cleared when a new one replaces it, and keeps alive whatever was
   * waiting then, which doubles the work of collecting.
   */
  #waiting: Waiting[] = []
  readonly #exited: Promise<void>
  #nextId = 1
  #ended = false

  private constructor(
    private readonly worker: Worker,
    onFailure: (error: unknown) => void,
  ) {
    worker.on('message', (replies: StoreReply[]) => {
      for (const reply of replies) this.#settle(reply)
    })
    worker.on('error', error => {
      this.#fail(error)
      onFailure(error)
    })
    this.#exited = new Promise(resolve => {
      worker.once('exit', () => {
        this.#fail(new AppError('unavailable', 'store_closed', 'The ledger is closed.'))
        resolve()
      })
    })
  }

  /** Starts the thread and opens the database. @throws AppError `unavailable/store_…`, `configuration/store_newer` */
  static async open(options: {
    path: string
    /** The thread died of a defect; nothing can be stored any more. */
    onFailure: (error: unknown) => void
  }): Promise<{ thread: StoreThread; opened: StoreOpened }> {
    const { path, onFailure } = options
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { path } })
    const thread = new StoreThread(worker, onFailure)
    const opened = new Promise<StoreOpened>((resolve, reject) => thread.#waiting.push({ id: 0, resolve, reject }))
    try {
      return { thread, opened: await opened }
    } catch (error) {
      await thread.worker.terminate()
      throw error
    }
  }

  /** @param transfer buffers of the task that change hands */
  write<Result>(task: WriteTask, transfer: ArrayBuffer[] = []): Promise<Result> {
    return this.#ask(id => ({ id, kind: 'write', task }), transfer)
  }

  read<Result>(task: ReadTask): Promise<Result> {
    return this.#ask(id => ({ id, kind: 'read', task }))
  }

  /** An aborted query stops at its next slice and rejects at once with the signal's reason. */
  query<Result>(task: QueryTask, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const id = this.#nextId
    const answer = this.#ask<Result>(() => ({ id, kind: 'query', task }))
    if (!signal) return answer
    const abort = () => {
      this.worker.postMessage({ id, kind: 'abort' } satisfies StoreRequest)
      this.#take(id)?.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    return answer.finally(() => signal.removeEventListener('abort', abort))
  }

  /** Carries out what was accepted, folds the journal in and ends the thread. */
  async close(): Promise<void> {
    if (!this.#ended) {
      const closed = this.#ask<void>(id => ({ id, kind: 'close' }))
      this.#ended = true
      await closed
    }
    await this.#exited
  }

  #ask<Result>(request: (id: number) => StoreRequest, transfer: ArrayBuffer[] = []): Promise<Result> {
    if (this.#ended) return Promise.reject(new AppError('unavailable', 'store_closed', 'The ledger is closed.'))
    const id = this.#nextId++
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject })
      this.worker.postMessage(request(id), transfer)
    })
  }

  #settle(reply: StoreReply): void {
    const waiting = this.#take(reply.id)
    if (!waiting) return // aborted meanwhile
    if ('error' in reply) waiting.reject(fromFailure(reply.error))
    else waiting.resolve(reply.result as never)
  }

  #take(id: number): Waiting | undefined {
    const at = this.#waiting.findIndex(waiting => waiting.id === id)
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0]
  }

  #fail(error: unknown): void {
    this.#ended = true
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
  }
}
