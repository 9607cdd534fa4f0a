import type { WebhookDelivery } from '../adapter.js'
import { formField, isForm, parseJson, textOf, unreadable, withinDepth } from '../delivery-body.js'
import { isPayload, type Payload } from '../payload.js'
import { isSlackFormat } from './slack-format.js'

/**
 * The JSON object of a delivery, or the fields of a form in the Slack format, including its token.
 *
 * @throws AppError `invalid/invalid_json` if it is neither
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const text = textOf(delivery)
  // Forwarding programs often use their HTTP client's default and label JSON as a form.
  return isForm(delivery) && !text.trimStart().startsWith('{') ? readForm(text) : readObject(text)
}

function readForm(text: string): Payload {
  const fields = Object.fromEntries(new URLSearchParams(text))
  return isSlackFormat(fields) ? fields : readObject(formField(text, 'payload'))
}

function readObject(text: string): Payload {
  const parsed = parseJson(text)
  if (!isPayload(parsed)) throw unreadable('The body is JSON, but not an object.')
  return withinDepth(parsed)
}
