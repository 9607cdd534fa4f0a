import type { WebhookDelivery } from '../adapter.js'
import { parseJson, textOf, withinDepth } from '../delivery-body.js'
import { isPayload, type Payload } from '../payload.js'

/**
 * The payload of a delivery as sent, except values nested deeper than an event may be.
 *
 * A hook may have its own body template, so any JSON may arrive. A value that is no object becomes the member `value`
 * of one: a few refusals would make the platform pause the hook, with all its other events.
 *
 * @throws AppError `invalid/invalid_json` if the body is not JSON
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const parsed = parseJson(textOf(delivery))
  return withinDepth(isPayload(parsed) ? parsed : { value: parsed })
}
