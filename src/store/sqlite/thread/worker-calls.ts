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
  /** What the worker finds as `workerData`. */
  data: unknown
  /** What it keeps, in messages: "The ledger is closed." */
  noun: string
  /** Nothing can be stored any more: the thread died of a defect, or what could be saved of lost files is saved. */
  onFailure: (error: unknown) => void
  /** The files on the disk are no longer those that are open, or what they hold could still not be saved. */
  onLost?: ((error: AppError, database: string) => void) | undefined
}

/** This side of a thread that keeps a database: sends numbered requests, and resolves what comes back. */
export class WorkerCalls {
  /**
   * Few at a time. Not a Map: an old hash table is not cleared when a new one replaces it, and keeps alive what was
   * waiting then, which doubles the work of collecting.
   */
  #waiting: Waiting[] = []
  readonly #exited: Promise<void>
  /** Called with every failure that the thread answers with. */
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
    // Which answers it held cannot be known. Nothing that the store answers nests deeply enough to get here.
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
   * Starts the thread, which answers number 0 once its files are open.
   *
   * @throws what it could not open them for
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

  /** Number of the next request. */
  get nextId(): number {
    return this.#nextId
  }

  /** @param transfer buffers of the arguments that change hands */
  ask<Result>({ kind, task, args }: TaskCall, transfer: ArrayBuffer[] = []): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#endedBy)
    return this.#send({ id: this.#nextId, kind, task, args }, transfer)
  }

  #send<Result>(request: StoreRequest, transfer: ArrayBuffer[] = []): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      // Throws if the request cannot be sent. Its number is not used then: the thread counts the messages, to know the
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

  /** What waits is refused immediately: to save what the files hold takes the thread its time. */
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
