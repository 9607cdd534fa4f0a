import { Worker } from 'node:worker_threads'
import { AppError } from '../../../model/app-error.js'
import { fromFailure } from '../../../model/failure.js'
import type { StoreLost, StoreReply, StoreRequest, TaskCall } from './protocol.js'

interface Waiting {
  id: number
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

export interface WorkerOptions {
  /** The `workerData` of the worker. */
  data: unknown
  /** In messages: "The <noun> is closed." */
  noun: string
  /** Nothing can be stored any more: the thread died of a defect, or the content of lost files was saved. */
  onFailure: (error: unknown) => void
  /** The files on the disk are no longer those that are open, or another attempt to save their content has failed. */
  onLost?: ((error: AppError, database: string) => void) | undefined
}

/** The caller's side of a thread that has a database open: sends numbered requests, and resolves their replies. */
export class WorkerCalls {
  /**
   * Requests in progress, few at a time. Not a Map: when a Map grows, V8 does not clear its old hash table, which keeps
   * settled requests alive and doubles the work of the garbage collection.
   */
  #waiting: Waiting[] = []
  readonly #exited: Promise<void>
  /** Called with every error that the thread replies. */
  onError: (error: Error) => void = () => {}
  #nextId = 1
  #ended = false
  #endedBy: AppError
  /** The files on the disk are not those that are open. */
  #isLost = false
  #lossIsOver: (error: AppError) => void = () => {}
  readonly #lossOver = new Promise<AppError>(resolve => {
    this.#lossIsOver = resolve
  })

  private constructor(
    private readonly worker: Worker,
    private readonly options: WorkerOptions,
  ) {
    this.#endedBy = new AppError('unavailable', 'store_closed', `The ${options.noun} is closed.`)
    worker.on('message', (message: StoreReply[] | StoreLost) => {
      if (!Array.isArray(message)) return this.#lose(message)
      for (const reply of message) this.#settle(reply)
    })
    // Which replies it contained is unknown. No reply of the store nests deeply enough for this.
    worker.on('messageerror', cause => {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error('An answer was unreadable.', { cause }))
    })
    worker.on('error', error => {
      this.#fail(error)
      options.onFailure(error)
    })
    this.#exited = new Promise(resolve => {
      worker.once('exit', () => {
        this.#fail(this.#endedBy)
        resolve()
      })
    })
  }

  /**
   * Starts the thread, which sends reply 0 when its files are open.
   *
   * @throws the error that prevented opening them
   */
  static async start<Opened>(file: URL, options: WorkerOptions): Promise<{ calls: WorkerCalls; opened: Opened }> {
    const worker = new Worker(file, { workerData: options.data })
    const calls = new WorkerCalls(worker, options)
    const opened = new Promise<Opened>((resolve, reject) => calls.#waiting.push({ id: 0, resolve, reject }))
    try {
      return { calls, opened: await opened }
    } catch (error) {
      await worker.terminate()
      throw error
    }
  }

  /** The number of the next request. */
  get nextId(): number {
    return this.#nextId
  }

  /** @param transfer buffers of the arguments to transfer */
  ask<Result>({ kind, task, args }: TaskCall, transfer: ArrayBuffer[] = []): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#endedBy)
    return this.#send({ id: this.#nextId, kind, task, args }, transfer)
  }

  #send<Result>(request: StoreRequest, transfer: ArrayBuffer[] = []): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      // Throws if the request cannot be sent. Then its number is not used: the thread counts messages to know the
      // number of one that it cannot read.
      this.worker.postMessage(request, transfer)
      this.#nextId++
      this.#waiting.push({ id: request.id, resolve, reject })
    })
  }

  /** Stops a query, and rejects it. */
  abort(id: number, reason: unknown): void {
    this.worker.postMessage({ id, kind: 'abort' } satisfies StoreRequest)
    this.#take(id)?.reject(reason)
  }

  /**
   * Sends the last request, after which the thread ends, and waits for that.
   *
   * @throws AppError `unavailable/ledger_lost`: the files were left as they are
   */
  async close(): Promise<void> {
    if (!this.#ended || this.#isLost) {
      const closed = this.#send<void>({ id: this.#nextId, kind: 'close' })
      this.#ended = true
      await closed.catch(error => {
        if (!this.#isLost) throw error
      })
    }
    if (this.#isLost) {
      const error = await Promise.race([this.#lossOver, this.#exited.then(() => this.#endedBy)])
      await this.worker.terminate()
      throw error
    }
    await this.#exited
  }

  #settle(reply: StoreReply): void {
    const waiting = this.#take(reply.id)
    const error = 'error' in reply ? fromFailure(reply.error) : undefined
    if (error) this.onError(error)
    if (!waiting) return // an aborted query
    if ('error' in reply) waiting.reject(error)
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

  /** Refuses waiting requests immediately: the thread may take long to save the content of the files. */
  #lose({ database, lost, isOver }: StoreLost): void {
    const error = fromFailure(lost)
    this.#isLost = true
    this.#endedBy = error
    this.#fail(error)
    if (isOver) {
      this.#lossIsOver(error)
      this.options.onFailure(error)
    } else {
      this.options.onLost?.(error, database)
    }
  }
}
