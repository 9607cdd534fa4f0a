import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Whether `shown` equals the secret `expected`, in a time independent of where they differ. A secret that is unset or
 * empty equals nothing. Compares digests, because `timingSafeEqual` throws on different lengths, and a caller chooses the
 * length of its input.
 *
 * Source: decisions on security, 0.12.
 */
export function safeEqual(expected: string | undefined, shown: string): boolean {
  if (!expected) return false
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', shown, 'buffer'))
}
