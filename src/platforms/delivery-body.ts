import { AppError } from '../model/app-error.js'
import { EVENT_LIMITS } from '../model/event-limits.js'
import type { WebhookDelivery } from './adapter.js'
import type { Payload } from './payload.js'

const FORM = 'application/x-www-form-urlencoded'
const BYTE_ORDER_MARK = '\uFEFF'
/** The payload stands a few levels deep inside the event, which has the model's limit. */
const PAYLOAD_DEPTH = EVENT_LIMITS.depth - 4
const CUT = '[nested too deeply to be kept]'

/** The body as text, without a byte order mark. */
export function textOf({ body }: WebhookDelivery): string {
  return withoutMark(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
}

/** Whether the delivery says that it is a form. One platform says so of plain JSON. */
export function isForm({ headers }: WebhookDelivery): boolean {
  return (headers['content-type'] ?? '').toLowerCase().includes(FORM)
}

/** A field of a form. @throws AppError `invalid/invalid_json` when the form does not have it */
export function formField(form: string, name: string): string {
  const field = new URLSearchParams(form).get(name)
  if (field === null) throw unreadable(`The form has no "${name}" field.`)
  return field
}

/** @throws AppError `invalid/invalid_json` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text))
  } catch (cause) {
    throw unreadable('The body is not JSON.', cause)
  }
}

/** A payload that an event may hold: what is nested deeper than that is cut off, leaving a marker. */
export function withinDepth(payload: Payload): Payload {
  return isDeeperThan(payload, PAYLOAD_DEPTH) ? cutAt(payload, PAYLOAD_DEPTH) : payload
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** The refusal of a body in which there is no event. */
export function unreadable(message: string, cause?: unknown): AppError {
  const hint = 'Send the JSON object of the event, as it is or in the "payload" field of a form.'
  return new AppError('invalid', 'invalid_json', message, { hint, cause })
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  for (const name in value) if (isDeeperThan((value as Payload)[name], depth - 1)) return true
  return false
}

function cutAt(value: Payload, depth: number): Payload {
  // `fromEntries` defines members, so one named `__proto__` stays ordinary data.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutMember(member, depth - 1)]))
}

function cutMember(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return CUT
  return Array.isArray(value) ? value.map(element => cutMember(element, depth - 1)) : cutAt(value as Payload, depth)
}
