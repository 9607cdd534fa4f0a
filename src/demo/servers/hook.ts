import type { EventDelivery } from '../../ledger/event-recorder.js'
import type { DeliveryContext, WebhookAdapter } from '../../platforms/adapter.js'
import { acceptDelivery } from '../../platforms/deliveries/accept-delivery.js'
import { signDelivery, type UnsignedDelivery } from '../../platforms/signatures/sign-delivery.js'

/** A webhook of a platform of the demo. */
export interface Hook {
  adapter: WebhookAdapter
  context: DeliveryContext
  /** Absent: its deliveries are not verified. */
  secret?: string | undefined
}

/** A delivery of a hook, and the events that it becomes. */
export interface HookDelivery {
  request: UnsignedDelivery
  events: EventDelivery[]
}

/**
 * Verifies and maps a delivery exactly as the server does, so kinds, targets, dedupe keys and provenance are those of a
 * real delivery.
 */
export function deliver(
  { adapter, context, secret }: Hook,
  headers: Record<string, string>,
  payload: Record<string, unknown>,
): HookDelivery {
  const request = { source: adapter.catalogue.source, headers, payload }
  const rules = { secrets: secret === undefined ? [] : [secret], requireVerified: false, context }
  const { verified, events, deliveryId } = acceptDelivery(adapter, signDelivery(request, secret, Date.now()), rules)
  const provenance = { route: 'webhook', verified, ...(deliveryId ? { delivery_id: deliveryId } : {}) } as const
  return { request, events: events.map(({ event }) => ({ event, provenance })) }
}
