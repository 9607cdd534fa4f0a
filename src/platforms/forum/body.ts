import type { WebhookDelivery } from '../adapter.js'
import { formField, isForm, parseJson, textOf, unreadable, withinDepth } from '../delivery-body.js'
import { isPayload, type Payload } from '../payload.js'

/** How every JSON object or list begins, unlike a form with the expected field. */
const JSON_BEGINS = /^\s*[[{]/u

/**
 * The JSON object of a delivery. Discourse sends plain JSON even when it labels it as a form; a real form, as an
 * intermediary may make of it, has the JSON in its `payload` field.
 *
 * Values nested deeper than an event may be are not recorded.
 *
 * @throws AppError `invalid/invalid_json` if there is no JSON object
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const text = textOf(delivery)
  const parsed = parseJson(isForm(delivery) && !JSON_BEGINS.test(text) ? formField(text, 'payload') : text)
  if (!isPayload(parsed)) throw unreadable('The body is JSON, but not an object.')
  return withinDepth(parsed)
}
