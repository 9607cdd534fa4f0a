import { type FollowOptions, followEvents } from './follow-events.js'
import type { LedgerClient } from './ledger-client.js'

export interface FirstDeliveryOptions extends FollowOptions {
  /** Told of the first delivery that proves nothing. */
  onUnverified: () => void
}

/**
 * Waits for the first event from now on that a webhook of this source brings with a proof of where it comes from.
 *
 * @returns undefined when the signal is aborted
 * @throws AppError as `followEvents`
 */
export async function firstDelivery(
  client: Pick<LedgerClient, 'events'>,
  source: string,
  { onUnverified, ...options }: FirstDeliveryOptions,
): Promise<unknown> {
  let isToldOfUnverified = false
  for await (const { items } of followEvents(client, { source }, options)) {
    for (const event of items) {
      const { route, verified } = provenanceOf(event)
      if (route !== 'webhook') continue
      if (verified !== 'none') return event
      if (!isToldOfUnverified) onUnverified()
      isToldOfUnverified = true
    }
  }
  return undefined
}

function provenanceOf(event: unknown): { route?: unknown; verified?: unknown } {
  const provenance = typeof event === 'object' && event !== null ? Reflect.get(event, 'provenance') : undefined
  return typeof provenance === 'object' && provenance !== null ? provenance : {}
}
