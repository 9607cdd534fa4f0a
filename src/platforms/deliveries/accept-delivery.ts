import { AppError } from '../../model/app-error.js'
import type { NewEvent, Verification } from '../../model/events/event.js'
import { RESERVED_BYTES } from '../../model/events/event-limits.js'
import type { DeliveryContext, NormalisedDelivery, WebhookAdapter, WebhookDelivery } from '../adapter.js'
import { withinTextBounds } from './text-bounds.js'

/** Rules for the acceptance of a delivery. */
export interface DeliveryRules {
  /** All currently valid secrets; none: deliveries cannot be verified. */
  secrets: readonly string[]
  /** Refuse unverified deliveries. */
  requireVerified: boolean
  context: DeliveryContext
  /** The result of `verifyDelivery`, if it was called before. Otherwise it is called first. */
  verified?: Verification
  /** Number of events to explain: for these, the values without a result are listed. */
  explained?: number
}

/** Whether the delivery has a verified signature or token. */
export function isVerified({ verified = 'none' }: DeliveryRules): boolean {
  return verified !== 'none'
}

/** An accepted delivery. */
export interface AcceptedDelivery extends Omit<NormalisedDelivery, 'events'> {
  verified: Verification
  events: AcceptedEvent[]
  /** For each explained event, the values without a result, as places in the definition. */
  placesWithoutResult?: string[][]
}

export interface AcceptedEvent {
  event: NewEvent
  /**
   * The event as JSON in UTF-8 with `payload` last, if serialising takes long. `event` then has an empty `payload`, and
   * otherwise equals the JSON.
   */
  json?: Uint8Array
}

/**
 * Verifies a delivery. Pure, so it may run on any thread.
 *
 * @throws AppError `unauthenticated/signature_invalid`, `forbidden/delivery_unverified`
 */
export function verifyDelivery(
  adapter: WebhookAdapter<string>,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
): Verification {
  const verified = adapter.verify(delivery, rules.secrets)
  if (verified === 'none' && rules.requireVerified) {
    throw new AppError('forbidden', 'delivery_unverified', 'This ledger accepts only verified deliveries.', {
      hint: 'Configure the same secret here and on the platform.',
    })
  }
  return verified
}

/**
 * Accepts a delivery: verifies the received bytes, and only then parses them. Pure, so it may run on any thread.
 *
 * @throws AppError as `verifyDelivery`, `invalid/invalid_json`
 */
export function acceptDelivery(
  adapter: WebhookAdapter<string>,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
): AcceptedDelivery {
  const verified = rules.verified ?? verifyDelivery(adapter, delivery, rules)
  const normalised = adapter.normalise(delivery, { ...rules.context, verified, secrets: rules.secrets })
  const events = normalised.events.map(event => ({ event: withinTextBounds(event, delivery.body.byteLength) }))
  const { explained } = rules
  if (explained === undefined || !adapter.placesWithoutResult) return { ...normalised, verified, events }
  return { ...normalised, verified, events, placesWithoutResult: adapter.placesWithoutResult(delivery, explained) }
}

/** The same, but serialises every event, so that no slow work remains. @throws as `acceptDelivery` */
export function acceptLargeDelivery(
  adapter: WebhookAdapter<string>,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
): AcceptedDelivery {
  const accepted = acceptDelivery(adapter, delivery, rules)
  const room = accepted.events.length === 1 ? RESERVED_BYTES : NO_RESERVE
  return { ...accepted, events: accepted.events.map(({ event }) => serialise(event, room)) }
}

/** Several events of one delivery are small, and the store copies them into one buffer in any case. */
const NO_RESERVE: typeof RESERVED_BYTES = { before: 0, after: 0 }

function serialise({ payload, ...others }: NewEvent, { before, after }: typeof RESERVED_BYTES): AcceptedEvent {
  const text = JSON.stringify({ ...others, payload })
  const length = Buffer.byteLength(text)
  const buffer = Buffer.allocUnsafeSlow(before + length + after)
  buffer.write(text, before)
  return { event: { ...others, payload: {} }, json: new Uint8Array(buffer.buffer, before, length) }
}
