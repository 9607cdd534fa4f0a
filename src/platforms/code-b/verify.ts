import { safeEqual } from '../../login/safe-equal.js'
import type { Verification } from '../../model/events/event.js'
import type { WebhookDelivery } from '../adapter.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../signatures/match-secrets.js'
import { checkStandardWebhook, isStandardKey, standardKey } from '../signatures/standard-webhooks.js'

/**
 * Checks a delivery by its signature or, if it has none, by its secret token.
 *
 * A signature, if present, must match: a correct token does not outweigh a wrong signature. Secrets that begin with
 * `whsec_` are signing tokens. All others are secret tokens.
 *
 * @param secrets all currently valid ones; none (or only empty ones): the result is `none`
 * @param now epoch milliseconds
 * @throws AppError `unauthenticated/signature_invalid`
 *
 * Source: Standard Webhooks, "Signature scheme" and "Verifying timestamp".
 */
export function verifyCodeB(delivery: WebhookDelivery, secrets: readonly string[], now: number): Verification {
  const configured = usableSecrets(secrets)
  if (configured.length === 0) return 'none'

  const signatures = delivery.headers['webhook-signature']
  if (signatures) {
    // A signing token without a key is no secret, so it matches nothing.
    checkStandardWebhook(delivery, signatures, configured.filter(isStandardKey).flatMap(standardKey), now)
    return 'signature'
  }
  checkToken(delivery.headers['x-gitlab-token'], configured)
  return 'token'
}

function checkToken(shown: string | undefined, configured: readonly string[]): void {
  if (!shown) {
    throw signatureInvalid(
      'The delivery has neither a signature nor a token.',
      'Give the hook one of the secrets that are configured here.',
    )
  }
  // Senders never transmit a signing token. A caller that sends one has found it elsewhere.
  const tokens = configured.filter(secret => !isStandardKey(secret))
  if (!anyMatches(tokens, token => safeEqual(token, shown))) {
    throw signatureInvalid(
      'The token does not match any configured secret.',
      'Compare the secret token of the hook with the one configured here.',
    )
  }
}
