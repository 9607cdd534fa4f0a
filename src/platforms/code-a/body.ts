import type { WebhookDelivery } from '../adapter.js'
import { formField, isForm, parseJson, textOf, unreadable, withinDepth } from '../delivery-body.js'
import { isPayload, type Payload, REDACTED } from '../payload.js'

/**
 * The JSON object of a delivery: the body itself, or the `payload` field of a form.
 *
 * Two things are not recorded as sent: values nested deeper than an event may be, and the hook's own secret, which Gogs
 * and old Gitea put into every body and which no reader of the ledger may see.
 *
 * @throws AppError `invalid/invalid_json` when there is no JSON object
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const text = textOf(delivery)
  const parsed = parseJson(isForm(delivery) ? formField(text, 'payload') : text)
  if (!isPayload(parsed)) throw unreadable('The body is JSON, but not an object.')
  const kept = withinDepth(parsed)
  return typeof kept.secret === 'string' && kept.secret !== '' ? { ...kept, secret: REDACTED } : kept
}
