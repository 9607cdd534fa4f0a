import { isObject } from '../../model/json-object.js'
import type { WebhookDelivery } from '../adapter.js'
import {
  formFields,
  isForm,
  parseJson,
  payloadField,
  textOf,
  unreadable,
  withinDepth,
} from '../deliveries/delivery-body.js'
import { type Payload, REDACTED } from '../mapping/payload.js'
import { isSlackFormat } from './slack-format.js'

/**
 * The JSON object of a delivery, or the fields of a form in the Slack format, including its token.
 *
 * @throws AppError `invalid/invalid_json` if it is neither
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const text = textOf(delivery)
  // Forwarding programs often keep their HTTP client's default, which labels JSON as a form.
  return isForm(delivery) && !text.trimStart().startsWith('{') ? readForm(delivery) : readObject(text)
}

function readForm(delivery: WebhookDelivery): Payload {
  const fields = Object.fromEntries(formFields(delivery))
  return isSlackFormat(fields) ? fields : readObject(payloadField(delivery))
}

function readObject(text: string): Payload {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw unreadable('The body is JSON, but not an object.')
  return withinDepth(parsed)
}

/** Members with which a reader could act as a bot or as the server. */
const SECRET = new Set(['token', 'api_key'])

/** The body without the token that proves its origin. */
export function withoutToken(body: Payload): Payload {
  return isSecret('token', body.token) ? { ...body, token: REDACTED } : body
}

/** The event without any secrets at any depth. It must not be nested deeper than an event may be. */
export function withoutSecrets(event: Payload): Payload {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [name, isSecret(name, value) ? REDACTED : cleaned(value)]),
  )
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  return isObject(value) ? withoutSecrets(value) : value
}

function isSecret(name: string, value: unknown): boolean {
  return SECRET.has(name) && typeof value === 'string' && value !== ''
}
