import type { WebhookAdapter } from '../adapter.js'
import { CODE_B_CATALOGUE } from './catalogue.js'
import { normaliseCodeB } from './normalise.js'
import { verifyCodeB } from './verify.js'

/**
 * GitLab.
 *
 * @param now epoch milliseconds; a signed delivery of another time is refused
 */
export function createCodeB(now: () => number): WebhookAdapter {
  return {
    catalogue: CODE_B_CATALOGUE,
    verify: (delivery, secrets) => verifyCodeB(delivery, secrets, now()),
    normalise: normaliseCodeB,
  }
}

/** GitLab, by this machine's clock. */
export const codeB: WebhookAdapter = createCodeB(Date.now)
