import { Worker } from 'node:worker_threads'
import { fromFailure } from '../model/failure.js'
import type { WebhookAdapter, WebhookDelivery } from './adapter.js'
import type { DeliveryLimits, DeliveryReply, DeliveryRequest } from './delivery-protocol.js'
import type { DeliveryRules, TakenDelivery, TakenEvent } from './take-delivery.js'

/** What the values of one delivery may take, several times what platforms send in 25 MiB. */
const MEMORY_MB = 512
/** For mapping them, writing them down, and the thread itself. */
const SPARE_MB = 512
/** A thread that had nothing to do for so long is ended, and its memory with it. */
const IDLE_MS = 10_000

/**
 * Takes large deliveries on a thread of its own, one after the other, so that nobody else waits for them and their
 * memory is bounded. The thread is there only while it is needed.
 */
export class DeliveryThread {
  #worker: Worker | undefined
  /** Settles when the delivery before has been taken. */
  #before: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(private readonly memoryMb = MEMORY_MB) {}

  /**
   * @param delivery its body changes hands, if it has a buffer of its own, and is empty afterwards
   * @throws AppError as `takeDelivery`; `too_large/body_too_large` for a body whose JSON takes up too much memory
   */
  take(adapter: WebhookAdapter, delivery: WebhookDelivery, rules: DeliveryRules): Promise<TakenDelivery> {
    const taken = this.#before.then(() => this.#take({ source: adapter.catalogue.source, delivery, rules }))
    this.#before = taken.catch(() => undefined) // its caller has the error; the next one begins anyway
    return taken
  }

  /** Once what was accepted has been taken. */
  async close(): Promise<void> {
    await this.#before
    clearTimeout(this.#idle)
    await this.#end()
  }

  async #take(request: DeliveryRequest): Promise<TakenDelivery> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    try {
      return await ask(this.#worker, request)
    } finally {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
    }
  }

  #start(): Worker {
    const workerData: DeliveryLimits = { memoryMb: this.memoryMb }
    const resourceLimits = { maxOldGenerationSizeMb: this.memoryMb + SPARE_MB }
    const worker = new Worker(new URL('./delivery-worker.js', import.meta.url), { workerData, resourceLimits })
    worker.on('error', () => {
      this.#worker = undefined
    })
    return worker
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}

function ask(worker: Worker, request: DeliveryRequest): Promise<TakenDelivery> {
  const { buffer, byteLength } = request.delivery.body
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return new Promise((resolve, reject) => {
    const events: TakenEvent[] = []
    const onReply = (reply: DeliveryReply) => {
      if ('events' in reply) {
        events.push(...reply.events)
        return
      }
      stop()
      if ('taken' in reply) resolve({ ...reply.taken, events })
      else reject(fromFailure(reply.error))
    }
    const onError = (error: Error) => {
      stop()
      reject(error)
    }
    const stop = () => {
      worker.off('message', onReply)
      worker.off('error', onError)
    }
    worker.on('message', onReply)
    worker.on('error', onError)
    worker.postMessage(request, isAlone ? [buffer] : [])
  })
}
