import type { WebhookDelivery } from '../adapter.js'
import { parseJson, textOf, withinDepth } from '../delivery-body.js'
import { isPayload, type Payload } from '../payload.js'

/**
 * The payload of a delivery, as sent; only values nested deeper than an event may be are cut.
 *
 * A hook may have a body template of its own, so any JSON arrives. What is no object becomes the member `value` of one:
 * a few refusals would make the platform pause the hook, and with it all other events.
 *
 * @throws AppError `invalid/invalid_json` when the body is not JSON
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const parsed = parseJson(textOf(delivery))
  return withinDepth(isPayload(parsed) ? parsed : { value: parsed })
}
