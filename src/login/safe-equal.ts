import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Whether `shown` is the secret `expected`, in a time that tells nothing of where they differ. A secret that is not
 * set, or empty, equals nothing. Over digests, as `timingSafeEqual` throws where lengths differ, and what a caller
 * shows has any length.
 *
 * Source: decisions on security, 0.12.
 */
export function safeEqual(expected: string | undefined, shown: string): boolean {
  if (!expected) return false
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', shown, 'buffer'))
}
