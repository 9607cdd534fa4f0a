import { hash } from 'node:crypto'

/**
 * The stored form of a session token or API token: SHA-256 of its text, as lower-case hex. A plain digest is enough,
 * because these secrets are 256 random bits; unlike a password they cannot be guessed.
 *
 * Source: decisions on security, 0.8, 0.9 and 0.11.
 */
export function toSecretDigest(secret: string): string {
  return hash('sha256', secret, 'hex')
}
