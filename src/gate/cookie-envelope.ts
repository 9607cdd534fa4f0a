import { createHmac, hash } from 'node:crypto'
import { safeEqual } from '../login/safe-equal.js'

/** Key that signs cookies: bytes, or a text as UTF-8. */
export type SigningKey = string | Uint8Array

/** One spelling per cookie. Includes the version: cookies signed by older releases are not sessions. */
const ENVELOPE = /^v2\.([A-Za-z0-9_-]{43})\.([0-9a-f]{64})$/

/**
 * The value of a session cookie: `v2.<token>.<HMAC-SHA256 as lower-case hex>`.
 *
 * @param token 43 characters of base64url, from `newSecret`
 *
 * Source: Board Access Gate, "Session cookie"; decisions on security, 0.11 and section 2, "B cookie".
 */
export function sealToken(token: string, key: SigningKey): string {
  return `v2.${token}.${signatureOf(token, key)}`
}

/**
 * The token of a cookie that this key has signed. The signature covers its text, never the decoded bytes: the last
 * character has two bits that decoding drops, so several texts would share one signature.
 */
export function openEnvelope(envelope: string, key: SigningKey): string | undefined {
  const [, token, signature] = ENVELOPE.exec(envelope) ?? []
  if (token === undefined || signature === undefined) return undefined
  return safeEqual(signatureOf(token, key), signature) ? token : undefined
}

/** Whether a cookie has our form. Does not check its signature. */
export function isEnvelope(text: string): boolean {
  return ENVELOPE.test(text)
}

/** The stored form of a token: a reader of the store cannot make a cookie from it. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'hex')
}

/**
 * The CSRF token of a session. Derived from its token, so nothing is stored and it lives as long as the session, across
 * restarts and across changes of the signing key.
 *
 * Source: decisions on security, section 2, "B csrf".
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('board-csrf-v2').digest('base64url')
}

function signatureOf(token: string, key: SigningKey): string {
  return createHmac('sha256', key).update(`board_session.v2.${token}`).digest('hex')
}
