/** Entry of the thread for large deliveries. */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../model/app-error.js'
import { toFailure } from '../../model/failure.js'
import { isPlatformSource } from '../../model/platforms/platform-source.js'
import type { WebhookAdapter } from '../adapter.js'
import { adapterOf } from '../adapters.js'
import { compileDefinedAdapter } from '../defined/adapter.js'
import { acceptLargeDelivery } from './accept-delivery.js'
import type { DeliveryLimits, DeliveryReply, DeliveryRequest } from './delivery-thread.js'
import { parsedMemory } from './json-memory.js'

/** Receiving this many takes a few milliseconds. */
const EVENTS_A_PIECE = 500

if (!parentPort) throw new Error('This module runs as a worker thread.')
const port = parentPort
const { memoryMb } = workerData as DeliveryLimits

port.on('message', (request: DeliveryRequest) => {
  try {
    answer(request)
  } catch (error) {
    reply({ error: toFailure(error) })
  }
})

function answer({ source, delivery, rules }: DeliveryRequest): void {
  // V8's own limit is not enough: in some versions, a thread that reaches it ends the whole process.
  if (parsedMemory(delivery.body) > memoryMb * 1_000_000) {
    const message = 'The JSON of the body needs more memory than one delivery may use. Send less at a time.'
    throw new AppError('too_large', 'body_too_large', message)
  }
  const { events, ...accepted } = acceptLargeDelivery(adapterFor(source), delivery, rules)
  for (let from = 0; from < events.length; from += EVENTS_A_PIECE) {
    const piece = events.slice(from, from + EVENTS_A_PIECE)
    reply(
      { events: piece },
      piece.flatMap(({ json }) => (json ? [json.buffer as ArrayBuffer] : [])),
    )
  }
  reply({ accepted })
}

function adapterFor(source: DeliveryRequest['source']): WebhookAdapter<string> {
  if (typeof source !== 'string') return compileDefinedAdapter(source)
  if (isPlatformSource(source)) return adapterOf(source)
  throw new Error(`There is no platform ${source}.`)
}

function reply(message: DeliveryReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}
