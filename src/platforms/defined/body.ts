import { isUtf8 } from 'node:buffer'
import { isObject } from '../../model/json-object.js'
import type { WebhookDelivery } from '../adapter.js'
import { formFields, isForm, textOf } from '../deliveries/delivery-body.js'
import { memberOf, type Payload } from '../mapping/payload.js'
import { withExactIntegers } from './exact-integers.js'

/** A body in the form that a mapping reads. */
interface ReadBody {
  root: unknown
  /** Why there is nothing to map: the body is neither JSON nor a form. */
  unreadable?: string
}

/** The member of a payload that contains a body that is not an object. */
const WRAPPED = 'body'

/**
 * Nothing is refused: a body that is neither JSON nor a form is kept as its text, or in base64.
 *
 * @param isSignedForm the body was verified as a form, so neither it nor its fields are read as JSON
 */
export function readOwnBody(delivery: WebhookDelivery, isSignedForm: boolean): ReadBody {
  const { body } = delivery
  if (!isUtf8(body)) return { root: Buffer.from(body).toString('base64'), unreadable: 'The body is not UTF-8.' }
  const text = textOf(delivery)
  const json = isSignedForm ? undefined : parsed(text)
  if (json !== undefined) return json
  if (!isForm(delivery))
    return { root: text, unreadable: 'The body is not JSON, and its Content-Type is not that of a form.' }
  const fields = Object.fromEntries(formFields(delivery))
  // What is signed of a form does not show where a field begins, so its text could become this field.
  if (isSignedForm) return { root: fields }
  const payload = memberOf(fields, 'payload')
  // Several services send JSON in this field of a form.
  return (typeof payload === 'string' ? parsed(payload) : undefined) ?? { root: fields }
}

/** Limit in characters. Longer texts are not decoded: a delivery with several would need much memory. */
const DECODED = 1024 * 1024

const OBJECT_OR_LIST = /^\s*[{[]/u

/** The object or the list that a text is as JSON; another value unchanged, so that what was decoded stays so. */
export function decoded(value: unknown, isBase64: boolean): unknown {
  if (typeof value !== 'string' || value.length > DECODED) return value
  const text = isBase64 ? Buffer.from(value, 'base64').toString('utf8') : value
  const root = OBJECT_OR_LIST.test(text) ? parsed(text)?.root : undefined
  return typeof root === 'object' && root !== null ? root : value
}

function parsed(text: string): ReadBody | undefined {
  try {
    const root: unknown = JSON.parse(text)
    const exact = withExactIntegers(text)
    return { root: exact === text ? root : JSON.parse(exact) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A payload is an object. Another body becomes its member `body`. */
export function toPayload(root: unknown): Payload {
  return isObject(root) ? root : { [WRAPPED]: root }
}

/** Reverts `toPayload`. @param isWrapped whether `toPayload` wrapped the body, as noted then */
export function fromPayload(payload: Payload, isWrapped: boolean): unknown {
  return isWrapped ? memberOf(payload, WRAPPED) : payload
}
