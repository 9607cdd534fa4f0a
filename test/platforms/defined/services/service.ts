import { createHmac } from 'node:crypto'
import type { DeliveryAnswer } from '../../../../src/platforms/adapter.js'

/** A service, with sample deliveries from its documentation and the definition that maps them. */
export interface Service {
  name: string
  /** Without the name of the source. */
  definition: object
  /** The last one signs. */
  secret?: string
  deliveries: ServiceDelivery[]
}

export interface ServiceDelivery {
  headers?: Record<string, string>
  /** Text is sent unchanged, any other value as JSON. */
  body: unknown
  /** Of the address, with its `?`. */
  query?: string
  /** What the service adds, by its documentation and not by our code. @param now epoch milliseconds */
  sign?: (body: string, now: number) => Record<string, string>
  /** Kinds and targets of the events. */
  becomes?: readonly (readonly [kind: string, target: string])[]
  answer?: DeliveryAnswer
}

export const SECRET = 'a-secret-of-the-service'
/** Where the source receives, for services that sign it. */
export const ADDRESS = 'https://ledger.example.org/webhooks/in/s'
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function hmac(algorithm: string, encoding: 'hex' | 'base64', ...texts: string[]): string {
  return createHmac(algorithm, SECRET).update(texts.join('')).digest(encoding)
}

export function seconds(now: number): string {
  return String(Math.floor(now / 1_000))
}

/** The proof of most services: an HMAC-SHA256 of the body in a header. */
export function bodyHmac(header: string, { prefix, encoding = 'hex' }: { prefix?: string; encoding?: string } = {}) {
  return { type: 'hmac', algorithm: 'sha256', header, encoding, ...(prefix === undefined ? {} : { prefix }) }
}

/** For services that are given an address only. */
export const BY_QUERY = { type: 'query', parameter: 'token' }
export const QUERY = `?token=${SECRET}`
