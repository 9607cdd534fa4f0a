import { createHmac } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import type { WebhookDelivery } from '../adapter.js'
import { anyMatches, signatureInvalid } from './match-secrets.js'

/** Maximum difference between a signed delivery's time and our clock, in both directions. */
export const TOLERANCE_SECONDS = 300

const KEY_PREFIX = 'whsec_'
/** Epoch seconds. Only this form can be signed. */
const TIMESTAMP = /^\d{1,12}$/u
/** `v1,<base64>`; other versions may be listed as well. */
const SIGNATURE = /^(v[0-9a-z]+),([A-Za-z0-9+/_=-]+)$/u

/** Whether a secret has the form of Standard Webhooks. */
export function isStandardKey(secret: string): boolean {
  return secret.startsWith(KEY_PREFIX)
}

/** The bytes of a Standard Webhooks secret, with or without its prefix; none for an empty one. */
export function standardKey(secret: string): Buffer[] {
  const key = Buffer.from(isStandardKey(secret) ? secret.slice(KEY_PREFIX.length) : secret, 'base64')
  return key.length > 0 ? [key] : []
}

/**
 * Checks the signature of a delivery.
 *
 * @param header the value of webhook-signature
 * @param keys all currently valid ones
 * @param now epoch milliseconds
 * @param prefix prefix of the names of the three headers
 * @throws AppError `unauthenticated/signature_invalid`
 *
 * Source: Standard Webhooks, "Signature scheme" and "Verifying timestamp".
 */
export function checkStandardWebhook(
  delivery: WebhookDelivery,
  header: string,
  keys: readonly Buffer[],
  now: number,
  prefix = 'webhook',
): void {
  const id = delivery.headers[`${prefix}-id`]
  const timestamp = delivery.headers[`${prefix}-timestamp`]
  const shown = readSignatures(header)
  if (!id || !timestamp || !TIMESTAMP.test(timestamp) || shown.length === 0) {
    throw signatureInvalid(
      'The signature cannot be read.',
      `Send ${prefix}-id, ${prefix}-timestamp and ${prefix}-signature once each.`,
    )
  }
  const matches = (key: Buffer) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(delivery.body)
    const expected = hmac.digest('base64')
    return anyMatches(shown, signature => safeEqual(expected, signature))
  }
  if (!anyMatches(keys, matches)) {
    throw signatureInvalid(
      'The signature does not match any configured signing token.',
      'Compare the signing token of the hook with the one configured here.',
    )
  }
  if (Math.abs(now - Number(timestamp) * 1_000) > TOLERANCE_SECONDS * 1_000) {
    throw signatureInvalid(
      'The timestamp of the signature is too old, or in the future.',
      `Deliveries are valid for ${TOLERANCE_SECONDS} seconds: compare the clocks of both machines.`,
    )
  }
}

/** The signatures of version 1. None if any entry is malformed, such as two joined headers. */
function readSignatures(header: string): string[] {
  const entries = header.split(' ').filter(entry => entry !== '')
  const read = entries.map(entry => SIGNATURE.exec(entry))
  if (read.includes(null)) return []
  return read.flatMap(match => (match?.[1] === 'v1' && match[2] ? [match[2]] : []))
}
