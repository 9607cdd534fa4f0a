import type { WebhookAdapter, WebhookDelivery } from '../adapter.js'
import { type AcceptedDelivery, type DeliveryRules, isVerified } from './accept-delivery.js'
import { DeliveryThread } from './delivery-thread.js'

/** Platforms rarely send more. Such a body takes up to a second, or ten seconds if it was crafted to be slow. */
const HUGE_BYTES = 2 * 1024 * 1024

type Thread = Pick<DeliveryThread, 'take' | 'close'>

/**
 * Processes large deliveries on two threads. Huge unverified ones use a separate thread, so that no other delivery
 * waits for them.
 *
 * Source: docs/decisions/0022.
 */
export class LargeDeliveries {
  readonly #ordinary: Thread
  readonly #huge: Thread

  constructor(
    threads: { ordinary: Thread; huge: Thread } = { ordinary: new DeliveryThread(), huge: new DeliveryThread() },
  ) {
    this.#ordinary = threads.ordinary
    this.#huge = threads.huge
  }

  /** @throws as `DeliveryThread.take` */
  take(adapter: WebhookAdapter<string>, delivery: WebhookDelivery, rules: DeliveryRules): Promise<AcceptedDelivery> {
    const isHuge = !isVerified(rules) && delivery.body.byteLength > HUGE_BYTES
    return (isHuge ? this.#huge : this.#ordinary).take(adapter, delivery, rules)
  }

  /** Resolves once all accepted deliveries are processed. */
  async close(): Promise<void> {
    await Promise.all([this.#ordinary.close(), this.#huge.close()])
  }
}
