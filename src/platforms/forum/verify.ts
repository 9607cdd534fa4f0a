import { createHmac } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import { AppError } from '../../model/app-error.js'
import type { Verification } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { usableSecrets } from '../secrets.js'

const SIGNATURE = 'x-discourse-event-signature'

/**
 * Checks the HMAC of a delivery over the received bytes. A header sent twice arrives as one text with a comma in it,
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
    throw refused('The delivery is not signed.', 'Give the web hook one of the secrets that are configured here.')
  }
  let fits = false
  for (const key of keys) {
    const expected = `sha256=${createHmac('sha256', key).update(delivery.body).digest('hex')}`
    // No early exit: the duration must not reveal which secret matches.
    if (safeEqual(expected, shown)) fits = true
  }
  if (!fits) {
    throw refused(
      'The signature does not match any configured secret.',
      'Compare the secret of the web hook with the one configured here.',
    )
  }
  return 'signature'
}

function refused(message: string, hint: string): AppError {
  return new AppError('unauthenticated', 'signature_invalid', message, { hint })
}
