import { hash, timingSafeEqual } from 'node:crypto'

/** The configured secrets that prove anything: an empty one is known to everybody. */
export function usableSecrets(secrets: readonly string[]): string[] {
  return secrets.filter(secret => secret !== '')
}

/** Over digests, as `timingSafeEqual` throws where lengths differ, and what a delivery shows has any length. */
export function equalInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'))
}
