import { createHmac } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import type { Verification } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../signatures/match-secrets.js'

const SIGNATURE = 'x-discourse-event-signature'

/**
 * Checks the HMAC of a delivery over the received bytes. A header that was sent twice arrives as one text with a comma,
 * which equals no signature.
 *
 * @param secrets all currently valid ones; none (or only empty ones): the result is `none`
 * @throws AppError `unauthenticated/signature_invalid`
 */
export function verifyForum(delivery: WebhookDelivery, secrets: readonly string[]): Verification {
  const keys = usableSecrets(secrets)
  if (keys.length === 0) return 'none'

  const shown = delivery.headers[SIGNATURE]?.trim().toLowerCase()
  if (!shown) {
    throw signatureInvalid(
      'The delivery is not signed.',
      'Give the webhook one of the secrets that are configured here.',
    )
  }
  const matches = (key: string) =>
    safeEqual(`sha256=${createHmac('sha256', key).update(delivery.body).digest('hex')}`, shown)
  if (!anyMatches(keys, matches)) {
    throw signatureInvalid(
      'The signature does not match any configured secret.',
      'Compare the secret of the webhook with the one configured here.',
    )
  }
  return 'signature'
}
