/**
 * Import it before the first store is opened. A thread takes 80 ms of processor time to load the modules of a store, and
 * the tests of a run open over a thousand stores: so threads of closed stores open further ones.
 */
import { EventEmitter, once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads, { MessageChannel, type MessagePort, type Worker, type WorkerOptions } from 'node:worker_threads'
import { atProcessEnd } from './process-end.js'
import type { ThreadStart } from './reused-thread.js'

const HOST = new URL('./reused-thread.js', import.meta.url)
const OF_A_STORE = '/worker.js'
const { Worker: NewWorker } = threads
const idle: Thread[] = []

/** A thread, and the store that uses it. */
class Thread {
  readonly worker = new NewWorker(HOST)
  #user: ReusedWorker | undefined

  constructor() {
    for (const name of ['error', 'exit']) this.worker.on(name, value => this.#user?.emit(name, value))
    this.worker.on('message', () => {
      const user = this.#user
      if (!user || user.isTerminated) return
      this.#user = undefined
      this.worker.unref()
      idle.push(this)
      void user.end()
    })
  }

  start(user: ReusedWorker, start: ThreadStart): void {
    this.#user = user
    this.worker.ref()
    this.worker.postMessage(start, [start.storePort])
  }
}

/** A thread as its store knows it: it has ended when it waits for the next store. */
class ReusedWorker extends EventEmitter {
  #thread: Thread | undefined = idle.pop() ?? new Thread()
  readonly #port: MessagePort
  /** Resolves after the last message of the store. */
  readonly #closed: Promise<unknown>
  isTerminated = false

  constructor(file: URL, { workerData }: WorkerOptions) {
    super()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    for (const name of ['message', 'messageerror']) port1.on(name, value => this.emit(name, value))
    this.#closed = once(port1, 'close')
    this.#thread?.start(this, { file: file.href, workerData, storePort: port2 })
  }

  postMessage(...args: Parameters<Worker['postMessage']>): void {
    this.#port.postMessage(...args)
  }

  /** The thread is no longer that of this store. */
  async end(): Promise<void> {
    this.#thread = undefined
    await this.#closed
    this.emit('exit', 0)
  }

  /** The thread is not used again: it may have files open. */
  async terminate(): Promise<void> {
    this.isTerminated = true
    await this.#thread?.worker.terminate()
    this.#port.close()
  }
}

threads.Worker = function Worker(file: URL, options: WorkerOptions = {}) {
  return file.href.endsWith(OF_A_STORE) ? new ReusedWorker(file, options) : new NewWorker(file, options)
} as unknown as typeof Worker
syncBuiltinESMExports()
atProcessEnd(async () => {
  for (const { worker } of idle) await worker.terminate()
})
