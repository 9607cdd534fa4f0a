import { randomBytes } from 'node:crypto'

/** Form of a session token or CSRF token: 256 bits as base64url. */
export const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/

/**
 * Creates a session token or CSRF token. Digests and comparisons use its text, never decoded bytes: the last character
 * has two bits that decoding drops, so several texts would mean one secret.
 *
 * Source: decisions on security, 0.9, 0.11 and section 2.
 */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
