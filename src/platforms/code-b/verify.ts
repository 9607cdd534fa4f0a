import { createHmac } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import type { Verification } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../mapping/verification.js'

/** Maximum difference between a signed delivery's time and our clock, either way. */
const TOLERANCE_SECONDS = 300

const SIGNING_TOKEN = 'whsec_'
/** Epoch seconds, in the only signed form. */
const TIMESTAMP = /^\d{1,12}$/u
/** `v1,<base64>`; other versions may be listed as well. */
const SIGNATURE = /^(v[0-9a-z]+),([A-Za-z0-9+/_=-]+)$/u

/**
 * Checks a delivery by its signature or, if it has none, by its secret token.
 *
 * A signature must match if present: a correct token does not make up for a wrong signature. Secrets that begin with
 * `whsec_` are signing tokens, all others are secret tokens.
 *
 * @param secrets all currently valid ones; none (or only empty ones): the result is `none`
 * @param now epoch milliseconds
 * @throws AppError `unauthenticated/signature_invalid`
 *
 * Source: Standard Webhooks, "Signature scheme" and "Verifying timestamp".
 */
export function verifyCodeB(delivery: WebhookDelivery, secrets: readonly string[], now: number): Verification {
  const configured = usableSecrets(secrets)
  if (configured.length === 0) return 'none'

  const signatures = delivery.headers['webhook-signature']
  if (signatures) {
    checkSignature(delivery, signatures, configured, now)
    return 'signature'
  }
  checkToken(delivery.headers['x-gitlab-token'], configured)
  return 'token'
}

function checkSignature(delivery: WebhookDelivery, header: string, configured: readonly string[], now: number): void {
  const id = delivery.headers['webhook-id']
  const timestamp = delivery.headers['webhook-timestamp']
  const shown = readSignatures(header)
  if (!id || !timestamp || !TIMESTAMP.test(timestamp) || shown.length === 0) {
    throw signatureInvalid(
      'The signature cannot be read.',
      'Send webhook-id, webhook-timestamp and webhook-signature once each.',
    )
  }
  const matches = (key: Buffer) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(delivery.body)
    const expected = hmac.digest('base64')
    return anyMatches(shown, signature => safeEqual(expected, signature))
  }
  if (!anyMatches(signingKeys(configured), matches)) {
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

/** A signing token without a key is public knowledge, so nothing matches it. */
function signingKeys(configured: readonly string[]): Buffer[] {
  return configured
    .filter(secret => secret.startsWith(SIGNING_TOKEN))
    .map(secret => Buffer.from(secret.slice(SIGNING_TOKEN.length), 'base64'))
    .filter(key => key.length > 0)
}

function checkToken(shown: string | undefined, configured: readonly string[]): void {
  if (!shown) {
    throw signatureInvalid(
      'The delivery has neither a signature nor a token.',
      'Give the hook one of the secrets that are configured here.',
    )
  }
  // Senders never transmit a signing token, so a caller that sends it has found it somewhere.
  const tokens = configured.filter(secret => !secret.startsWith(SIGNING_TOKEN))
  if (!anyMatches(tokens, token => safeEqual(token, shown))) {
    throw signatureInvalid(
      'The token does not match any configured secret.',
      'Compare the secret token of the hook with the one configured here.',
    )
  }
}
