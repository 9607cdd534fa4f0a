import { Worker } from 'node:worker_threads'
import { type Failure, fromFailure } from '../../model/failure.js'
import type { SourceDefinition } from '../../model/sources/source-definition.js'
import type { WebhookAdapter, WebhookDelivery } from '../adapter.js'
import { type AcceptedDelivery, type AcceptedEvent, type DeliveryRules, isVerified } from './accept-delivery.js'
import { busy, DeliveryQueue, type WaitingDelivery } from './delivery-queue.js'

/** Message to the thread, which processes one delivery after another. */
export interface DeliveryRequest {
  /** A platform, or the definition of an operator's source. */
  source: string | SourceDefinition
  delivery: WebhookDelivery
  rules: DeliveryRules
}

/** Message from the thread: any number of chunks, each quick to receive, then an end. */
export type DeliveryReply =
  | { events: AcceptedEvent[] }
  | { accepted: Omit<AcceptedDelivery, 'events'> }
  | { error: Failure }

/** Limits of a thread. */
export interface DeliveryThreadLimits {
  /** Memory for the parsed values of one delivery, in megabytes: several times what platforms send in 25 MiB. */
  memoryMb: number
  /** Maximum time in the queue for an unverified delivery. Platforms time out after 10 s. */
  waitMs: number
  /** Maximum processing time of an unverified and of a verified delivery. */
  unverifiedMs: number
  verifiedMs: number
}

/** Start data of the thread. */
export type DeliveryLimits = Pick<DeliveryThreadLimits, 'memoryMb'>

const LIMITS: DeliveryThreadLimits = { memoryMb: 512, waitMs: 8_000, unverifiedMs: 10_000, verifiedMs: 60_000 }
/** Memory for mapping and serialising the values, and for the thread itself. */
const SPARE_MB = 512
/** The thread ends after this idle time, which frees its memory. */
const IDLE_MS = 10_000

interface Job extends WaitingDelivery {
  request: DeliveryRequest
  resolve: (accepted: AcceptedDelivery) => void
  refuse: (error: unknown) => void
}

/**
 * Processes large deliveries on a separate thread, one after another. This limits their memory, and other requests need
 * not wait. The thread exists only while it is needed.
 */
export class DeliveryThread {
  readonly #limits: DeliveryThreadLimits
  readonly #queue = new DeliveryQueue<Job>()
  readonly #accepted = new Set<Promise<AcceptedDelivery>>()
  #isTaking = false
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(limits: Partial<DeliveryThreadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * @param delivery if its body has its own buffer, that is transferred and the body is empty afterwards
   * @throws AppError as `acceptDelivery`; `too_large/body_too_large` for a body whose JSON needs too much memory;
   *   `unavailable/busy` if queueing or processing takes too long
   */
  take(adapter: WebhookAdapter<string>, delivery: WebhookDelivery, rules: DeliveryRules): Promise<AcceptedDelivery> {
    const request: DeliveryRequest = { source: adapter.definition ?? adapter.catalogue.source, delivery, rules }
    const accepted = new Promise<AcceptedDelivery>((resolve, refuse) => {
      const job: Job = { request, bytes: delivery.body.byteLength, isVerified: isVerified(rules), resolve, refuse }
      this.#queue.add(job)
      setTimeout(() => this.#queue.giveUp(job), this.#limits.waitMs).unref()
    })
    const forget = () => this.#accepted.delete(accepted)
    this.#accepted.add(accepted)
    accepted.then(forget, forget) // the caller gets the error
    void this.#takeAll()
    return accepted
  }

  /** Resolves once all accepted deliveries are processed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#accepted)
    clearTimeout(this.#idle)
    await this.#end()
  }

  async #takeAll(): Promise<void> {
    if (this.#isTaking) return
    this.#isTaking = true
    clearTimeout(this.#idle)
    for (let job = this.#queue.next(); job; job = this.#queue.next()) {
      await this.#take(job).then(job.resolve, job.refuse)
    }
    this.#isTaking = false
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
  }

  async #take({ request, isVerified, refuse }: Job): Promise<AcceptedDelivery> {
    this.#worker ??= this.#start()
    const late = setTimeout(
      () => {
        refuse(busy())
        void this.#end()
      },
      isVerified ? this.#limits.verifiedMs : this.#limits.unverifiedMs,
    )
    try {
      return await ask(this.#worker, request)
    } finally {
      clearTimeout(late)
    }
  }

  #start(): Worker {
    const { memoryMb } = this.#limits
    const workerData: DeliveryLimits = { memoryMb }
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb + SPARE_MB }
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

function ask(worker: Worker, request: DeliveryRequest): Promise<AcceptedDelivery> {
  const { buffer, byteLength } = request.delivery.body
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return new Promise((resolve, reject) => {
    const events: AcceptedEvent[] = []
    const onReply = (reply: DeliveryReply) => {
      if ('events' in reply) {
        events.push(...reply.events)
        return
      }
      stop()
      if ('accepted' in reply) resolve({ ...reply.accepted, events })
      else reject(fromFailure(reply.error))
    }
    const onError = (error: Error) => {
      stop()
      reject(error)
    }
    const onExit = () => onError(new Error('The thread for large deliveries ended before it answered'))
    const stop = () => {
      worker.off('message', onReply)
      worker.off('error', onError)
      worker.off('exit', onExit)
    }
    worker.on('message', onReply)
    worker.on('error', onError)
    worker.on('exit', onExit)
    worker.postMessage(request, isAlone ? [buffer] : [])
  })
}
