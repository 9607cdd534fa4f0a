import { hash } from 'node:crypto'

/**
 * What is kept of a session token or an API token: SHA-256 of its text, as lower-case hex. A plain digest is enough,
 * as these secrets are 256 random bits; nobody can guess their way through it as through a password's.
 *
 * Source: decisions on security, 0.8, 0.9 and 0.11.
 */
export function toSecretDigest(secret: string): string {
  return hash('sha256', secret, 'hex')
}
