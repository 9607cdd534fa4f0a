import { createHmac } from 'node:crypto'
import type { EventDelivery } from '../../ledger/ledger.js'
import type { DeliveryContext, WebhookAdapter } from '../../platforms/adapter.js'
import { acceptDelivery } from '../../platforms/deliveries/accept-delivery.js'

/** A webhook of an invented platform. */
export interface Hook {
  adapter: WebhookAdapter
  context: DeliveryContext
  /** Absent: its deliveries are not verified. */
  secret?: string | undefined
  /** The platform's headers that prove the secret. */
  prove?: ((body: string, secret: string) => Record<string, string>) | undefined
}

/**
 * Verifies and maps a delivery exactly as the server does, so kinds, targets, dedupe keys and provenance are those of a
 * real delivery.
 */
export function deliver(hook: Hook, headers: Record<string, string>, payload: unknown): EventDelivery[] {
  const { adapter, context, secret, prove } = hook
  const text = JSON.stringify(payload)
  const proof = secret !== undefined && prove ? prove(text, secret) : {}
  const delivery = {
    headers: { 'content-type': 'application/json', ...headers, ...proof },
    body: Buffer.from(text),
  }
  const rules = { secrets: secret === undefined ? [] : [secret], requireVerified: false, context }
  const { verified, events, deliveryId } = acceptDelivery(adapter, delivery, rules)
  const provenance = { route: 'webhook', verified, ...(deliveryId ? { delivery_id: deliveryId } : {}) } as const
  return events.map(({ event }) => ({ event, provenance }))
}

/** `sha256=…`, as two of the platforms sign. */
export function sha256Signature(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
