import { createHmac, hash } from 'node:crypto'
import { safeEqual } from '../login/safe-equal.js'

/** What signs cookies: the bytes of a key, or a text as UTF-8. */
export type SigningKey = string | Uint8Array

/** One spelling for each cookie. The version is part of it: what an older release signed is no session. */
const ENVELOPE = /^v2\.([A-Za-z0-9_-]{43})\.([0-9a-f]{64})$/

/**
 * The value of a session's cookie: `v2.<token>.<HMAC-SHA256 as lower-case hex>`.
 *
 * @param token of 43 characters of base64url, as `newSecret` makes it
 *
 * Source: Board Access Gate, "Session cookie"; decisions on security, 0.11 and section 2, "B cookie".
 */
export function sealToken(token: string, key: SigningKey): string {
  return `v2.${token}.${signatureOf(token, key)}`
}

/**
 * The token in a cookie that this very key has signed. The signature is over its text, never over the bytes that the
 * text stands for: the last character has two bits that decoding drops, so several texts would have one signature.
 */
export function openEnvelope(envelope: string, key: SigningKey): string | undefined {
  const [, token, signature] = ENVELOPE.exec(envelope) ?? []
  if (token === undefined || signature === undefined) return undefined
  return safeEqual(signatureOf(token, key), signature) ? token : undefined
}

/** Whether a cookie has the form of ours; nothing is said of who made it. */
export function isEnvelope(text: string): boolean {
  return ENVELOPE.test(text)
}

/** What is kept of a token: nobody who reads the store can make a cookie of it. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'hex')
}

/**
 * The CSRF token of a session. Made from its token, so there is nothing to store and it lives as long as the session:
 * over restarts, and over a change of the key that signs the cookie alone.
 *
 * Source: decisions on security, section 2, "B csrf".
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('board-csrf-v2').digest('base64url')
}

function signatureOf(token: string, key: SigningKey): string {
  return createHmac('sha256', key).update(`board_session.v2.${token}`).digest('hex')
}
