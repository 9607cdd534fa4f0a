import { AppError } from '../model/app-error.js'
import type { NewEvent, Verification } from '../model/event.js'
import { JSON_ROOM } from '../model/json-room.js'
import type { DeliveryContext, NormalisedDelivery, WebhookAdapter, WebhookDelivery } from './adapter.js'
import { withinTextBounds } from './text-bounds.js'

/** By what a delivery is judged. */
export interface DeliveryRules {
  /** All secrets that are valid now; none: deliveries cannot prove anything. */
  secrets: readonly string[]
  /** Refuse deliveries that prove nothing. */
  requireVerified: boolean
  context: DeliveryContext
}

/** A delivery that was let in. */
export interface TakenDelivery extends Omit<NormalisedDelivery, 'events'> {
  verified: Verification
  events: TakenEvent[]
}

export interface TakenEvent {
  event: NewEvent
  /**
   * The event as JSON in UTF-8, `payload` last, where writing it down takes long. `event.payload` is then empty, and
   * everything else of `event` as it is in the JSON.
   */
  json?: Uint8Array
}

/**
 * What a delivery brings: verified over the bytes received, and only then parsed. Pure, so it may run on any thread.
 *
 * @throws AppError `unauthenticated/signature_invalid`, `forbidden/delivery_unverified`, `invalid/invalid_json`
 */
export function takeDelivery(adapter: WebhookAdapter, delivery: WebhookDelivery, rules: DeliveryRules): TakenDelivery {
  const verified = adapter.verify(delivery, rules.secrets)
  if (verified === 'none' && rules.requireVerified) {
    throw new AppError(
      'forbidden',
      'delivery_unverified',
      'This ledger takes only deliveries that prove where they come from.',
      { hint: 'Configure the same secret here and on the platform.' },
    )
  }
  const taken = adapter.normalise(delivery, { ...rules.context, verified })
  const events = taken.events.map(event => ({ event: withinTextBounds(event, delivery.body.byteLength) }))
  return { ...taken, verified, events }
}

/** The same with every event written down: what takes long is done when it returns. @throws as `takeDelivery` */
export function takeLargeDelivery(
  adapter: WebhookAdapter,
  delivery: WebhookDelivery,
  rules: DeliveryRules,
): TakenDelivery {
  const taken = takeDelivery(adapter, delivery, rules)
  const room = taken.events.length === 1 ? JSON_ROOM : NO_ROOM
  return { ...taken, events: taken.events.map(({ event }) => writeDown(event, room)) }
}

/** Events that come together are small, and are stored together, in a buffer of theirs. */
const NO_ROOM: typeof JSON_ROOM = { before: 0, after: 0 }

function writeDown({ payload, ...others }: NewEvent, { before, after }: typeof JSON_ROOM): TakenEvent {
  const text = JSON.stringify({ ...others, payload })
  const length = Buffer.byteLength(text)
  const buffer = Buffer.allocUnsafeSlow(before + length + after)
  buffer.write(text, before)
  return { event: { ...others, payload: {} }, json: new Uint8Array(buffer.buffer, before, length) }
}
