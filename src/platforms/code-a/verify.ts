import { createHmac } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import type { Verification } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../signatures/match-secrets.js'

type Algorithm = 'sha256' | 'sha1'

/** A signature in a delivery: lower-case hex, without the algorithm's name. */
interface Signature {
  algorithm: Algorithm
  hex: string
}

const PREFIXED_SHA256 = 'x-hub-signature-256'
const BARE_SHA256 = ['x-forgejo-signature', 'x-gitea-signature', 'x-gogs-signature'] as const
const PREFIXED_SHA1 = 'x-hub-signature'

/**
 * Checks the HMAC of a delivery over the received bytes. For a form, these are the form, not the JSON in it.
 *
 * All SHA-256 signatures of a delivery must match the same secret: contradictory ones prove nothing. SHA-1 counts only
 * if there is no SHA-256 signature.
 *
 * @param secrets all currently valid ones; none (or only empty ones): the result is `none`
 * @throws AppError `unauthenticated/signature_invalid`
 */
export function verifyCodeA(delivery: WebhookDelivery, secrets: readonly string[]): Verification {
  const keys = usableSecrets(secrets)
  if (keys.length === 0) return 'none'

  const shown = signaturesOf(delivery.headers)
  const [first] = shown
  if (first === undefined) {
    throw signatureInvalid('The delivery is not signed.', 'Give the hook one of the secrets that are configured here.')
  }
  const matches = (key: string) => {
    const expected = createHmac(first.algorithm, key).update(delivery.body).digest('hex')
    return shown.every(({ hex }) => safeEqual(expected, hex))
  }
  if (!anyMatches(keys, matches)) {
    throw signatureInvalid(
      'The signature does not match any configured secret.',
      'Compare the secret of the hook with the one configured here.',
    )
  }
  return 'signature'
}

/** All SHA-256 signatures, or otherwise the SHA-1 one. */
function signaturesOf(headers: WebhookDelivery['headers']): Signature[] {
  const strong: Signature[] = []
  const prefixed = headers[PREFIXED_SHA256]
  if (prefixed) strong.push({ algorithm: 'sha256', hex: withoutPrefix('sha256=', prefixed) })
  for (const name of BARE_SHA256) {
    const bare = headers[name]
    if (bare) strong.push({ algorithm: 'sha256', hex: bare.trim().toLowerCase() })
  }
  const weak = headers[PREFIXED_SHA1]
  if (strong.length > 0 || !weak) return strong
  return [{ algorithm: 'sha1', hex: withoutPrefix('sha1=', weak) }]
}

/** A header without the prefix stays unchanged, so that it never equals a digest of another algorithm. */
function withoutPrefix(prefix: string, header: string): string {
  const text = header.trim().toLowerCase()
  return text.startsWith(prefix) ? text.slice(prefix.length) : `not ${prefix}${text}`
}
