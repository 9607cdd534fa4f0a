import type { Failure } from '../model/failure.js'
import type { PlatformSource, WebhookDelivery } from './adapter.js'
import type { DeliveryRules, TakenDelivery, TakenEvent } from './take-delivery.js'

/** What the thread is started with. */
export interface DeliveryLimits {
  /** What the values of one delivery may take, in megabytes. */
  memoryMb: number
}

/** To the thread, which takes one delivery after the other. */
export interface DeliveryRequest {
  source: PlatformSource
  delivery: WebhookDelivery
  rules: DeliveryRules
}

/** From the thread: any number of pieces, so that none takes long to receive, then an end. */
export type DeliveryReply = { events: TakenEvent[] } | { taken: Omit<TakenDelivery, 'events'> } | { error: Failure }
