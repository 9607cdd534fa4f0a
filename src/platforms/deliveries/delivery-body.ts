import { AppError } from '../../model/app-error.js'
import { cutToDepth, isDeeperThan, JSON_DEPTH } from '../../model/json-depth.js'
import type { WebhookDelivery } from '../adapter.js'
import type { Payload } from '../mapping/payload.js'

const FORM = 'application/x-www-form-urlencoded'
const PLUS = 0x2b
const SPACE = 0x20
const BYTE_ORDER_MARK = '\uFEFF'
/** The payload is a few levels deep in the event, whose total depth is limited. */
const PAYLOAD_DEPTH = JSON_DEPTH - 4

/** The body as text, without a byte order mark. */
export function textOf({ body }: WebhookDelivery): string {
  return withoutMark(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
}

/** Whether the content type is a form. One platform uses it for plain JSON. */
export function isForm({ headers }: WebhookDelivery): boolean {
  return (headers['content-type'] ?? '').toLowerCase().includes(FORM)
}

/** The fields of a form. Source: URL Standard, section 5.1. */
export function formFields({ body }: WebhookDelivery): URLSearchParams {
  // Node's own reading of `+` takes ten times as long as that of a space, and breaks letters that are not encoded.
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE
  return new URLSearchParams(withoutMark(bytes.toString('utf8')))
}

/** The JSON text in a form. @throws AppError `invalid/invalid_json` if the form has none */
export function payloadField(delivery: WebhookDelivery): string {
  const payload = formFields(delivery).get('payload')
  if (payload === null) throw unreadable('The form has no "payload" field.')
  return payload
}

/** @param hint what to send instead. @throws AppError `invalid/invalid_json` */
export function parseJson(text: string, hint = JSON_OR_FORM): unknown {
  try {
    return JSON.parse(withoutMark(text))
  } catch (cause) {
    throw unreadable('The body is not JSON.', { hint, cause })
  }
}

/** Replaces values that are nested deeper than an event may be with a marker. */
export function withinDepth(payload: Payload): Payload {
  return isDeeperThan(payload, PAYLOAD_DEPTH) ? cutToDepth(payload, PAYLOAD_DEPTH) : payload
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

const JSON_OR_FORM = 'Send the JSON object of the event, as it is or in the "payload" field of a form.'

interface UnreadableParts {
  hint?: string
  cause?: unknown
}

/** The error for a body without an event. */
export function unreadable(message: string, { hint = JSON_OR_FORM, cause }: UnreadableParts = {}): AppError {
  return new AppError('invalid', 'invalid_json', message, { hint, cause })
}
