import { safeEqual } from '../../login/safe-equal.js'
import { AppError } from '../../model/app-error.js'
import type { Verification } from '../../model/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { textAt } from '../payload.js'
import { usableSecrets } from '../secrets.js'
import { readBody } from './body.js'

/**
 * Checks the token of a delivery, which proves who knows it but protects nothing of what was sent. The platform shows it
 * only inside the body, so this body alone is read before it is trusted, and nothing else of it.
 *
 * @param secrets all that are valid now; none (or only empty ones): `none`, as nothing can be proved
 * @throws AppError `unauthenticated/signature_invalid`
 */
export function verifyChat(delivery: WebhookDelivery, secrets: readonly string[]): Verification {
  const tokens = usableSecrets(secrets)
  if (tokens.length === 0) return 'none'

  const shown = tokenOf(delivery)
  if (shown === undefined) {
    throw refused('The delivery shows no token.', 'Let an outgoing webhook bot send it, or add its token to the body.')
  }
  let fits = false
  for (const token of tokens) {
    // No early end: how long this takes tells nothing about which token fits.
    if (safeEqual(token, shown)) fits = true
  }
  if (!fits) throw refused('The token fits no secret.', 'Compare the token of the bot with the one configured here.')
  return 'token'
}

/** @returns undefined also for a body that cannot be read: whoever proves nothing is not told what is wrong with it */
function tokenOf(delivery: WebhookDelivery): string | undefined {
  try {
    return textAt(readBody(delivery), 'token')
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function refused(message: string, hint: string): AppError {
  return new AppError('unauthenticated', 'signature_invalid', message, { hint })
}
