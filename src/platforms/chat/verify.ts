import { safeEqual } from '../../login/safe-equal.js'
import { AppError } from '../../model/app-error.js'
import type { Verification } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { textAt } from '../mapping/payload.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../signatures/match-secrets.js'
import { readBody } from './body.js'

/**
 * Checks the token of a delivery, which proves the sender but not the integrity of the content. The token is inside the
 * body, so only this body is parsed before it is trusted, and only the token is read.
 *
 * @param secrets all currently valid ones; none (or only empty ones): the result is `none`
 * @throws AppError `unauthenticated/signature_invalid`
 */
export function verifyChat(delivery: WebhookDelivery, secrets: readonly string[]): Verification {
  const tokens = usableSecrets(secrets)
  if (tokens.length === 0) return 'none'

  const shown = tokenOf(delivery)
  if (shown === undefined) {
    throw signatureInvalid(
      'The delivery has no token.',
      'Let an outgoing webhook bot send it, or add its token to the body.',
    )
  }
  if (!anyMatches(tokens, token => safeEqual(token, shown))) {
    throw signatureInvalid(
      'The token does not match any configured secret.',
      'Compare the token of the bot with the one configured here.',
    )
  }
  return 'token'
}

/** @returns undefined also for an unreadable body: an unverified sender gets no details */
function tokenOf(delivery: WebhookDelivery): string | undefined {
  try {
    return textAt(readBody(delivery), 'token')
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
