import type { WebhookDelivery } from '../adapter.js'
import { formField, isForm, parseJson, textOf, unreadable, withinDepth } from '../delivery-body.js'
import { isPayload, type Payload } from '../payload.js'

/** How every JSON object or list begins, and no form with a field of the name that is looked for. */
const JSON_BEGINS = /^\s*[[{]/u

/**
 * The JSON object of a delivery. Discourse sends plain JSON also where it says that it sends a form; a real form, as
 * something between may make of it, has the JSON in its `payload` field.
 *
 * Values nested deeper than an event may be are not kept.
 *
 * @throws AppError `invalid/invalid_json` when there is no JSON object
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const text = textOf(delivery)
  const parsed = parseJson(isForm(delivery) && !JSON_BEGINS.test(text) ? formField(text, 'payload') : text)
  if (!isPayload(parsed)) throw unreadable('The body is JSON, but not an object.')
  return withinDepth(parsed)
}
