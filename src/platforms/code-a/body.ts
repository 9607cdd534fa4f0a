import { AppError } from '../../model/app-error.js'
import { EVENT_LIMITS } from '../../model/event-limits.js'
import type { WebhookDelivery } from '../adapter.js'
import { isPayload, type Payload, REDACTED } from '../payload.js'

const FORM = 'application/x-www-form-urlencoded'
const BYTE_ORDER_MARK = '\uFEFF'
/** The payload stands a few levels deep inside the event, which has the model's limit. */
const PAYLOAD_DEPTH = EVENT_LIMITS.depth - 4
const CUT = '[nested too deeply to be kept]'

/**
 * The JSON object of a delivery: the body itself, or the `payload` field of a form.
 *
 * Two things are not kept as sent: values nested deeper than an event may be, and the hook's own secret, which Gogs and
 * old Gitea put into every body and which no reader of the ledger may learn.
 *
 * @throws AppError `invalid/invalid_json` when there is no JSON object
 */
export function readBody(delivery: WebhookDelivery): Payload {
  const { body } = delivery
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const parsed = parse(isForm(delivery) ? fieldOf(text) : text)
  if (!isPayload(parsed)) throw unreadable('The body is JSON, but not an object.')
  const kept = isDeeperThan(parsed, PAYLOAD_DEPTH) ? cutAt(parsed, PAYLOAD_DEPTH) : parsed
  return typeof kept.secret === 'string' && kept.secret !== '' ? { ...kept, secret: REDACTED } : kept
}

function isForm({ headers }: WebhookDelivery): boolean {
  return (headers['content-type'] ?? '').toLowerCase().includes(FORM)
}

function fieldOf(form: string): string {
  const field = new URLSearchParams(form).get('payload')
  if (field === null) throw unreadable('The form has no "payload" field.')
  return field
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch (cause) {
    throw unreadable('The body is not JSON.', cause)
  }
}

function unreadable(message: string, cause?: unknown): AppError {
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
