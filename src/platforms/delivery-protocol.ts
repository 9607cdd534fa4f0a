import type { Failure } from '../model/failure.js'
import type { AcceptedDelivery, AcceptedEvent, DeliveryRules } from './accept-delivery.js'
import type { PlatformSource, WebhookDelivery } from './adapter.js'

/** Start data of the thread. */
export interface DeliveryLimits {
  /** Memory for the parsed values of one delivery, in megabytes. */
  memoryMb: number
}

/** To the thread, which processes one delivery after another. */
export interface DeliveryRequest {
  source: PlatformSource
  delivery: WebhookDelivery
  rules: DeliveryRules
}

/** From the thread: any number of chunks, each quick to receive, then an end. */
export type DeliveryReply =
  | { events: AcceptedEvent[] }
  | { taken: Omit<AcceptedDelivery, 'events'> }
  | { error: Failure }
