import { PLATFORM_NAMES } from '../../model/platforms/platform-source.js'
import { TARGET_FORMS } from '../../model/subscriptions/target-grammar.js'
import type { WebhookAdapter } from '../adapter.js'
import { namedKinds } from '../catalogue.js'
import { MAPPINGS } from './event-mappings.js'
import { normaliseCodeB } from './normalise.js'
import { verifyCodeB } from './verify.js'

/**
 * GitLab.
 *
 * @param now epoch milliseconds; a signed delivery with a different time is refused
 */
export function createCodeB(now: () => number): WebhookAdapter {
  return {
    catalogue: {
      source: 'code_b',
      display_name: PLATFORM_NAMES.code_b,
      webhook_path: '/webhooks/code_b',
      verification:
        'With a signing token (whsec_…), HMAC-SHA256 of id, time and raw body in webhook-signature, from within five ' +
        'minutes; else the secret token in X-Gitlab-Token.',
      ...namedKinds([...MAPPINGS.values()].flatMap(({ kinds }) => kinds)),
      scope_types: ['repository', 'issue', 'pull_request'],
      target_grammar: [...TARGET_FORMS.code_b],
      capture_modes: ['webhook', 'poll'],
    },
    verify: (delivery, secrets) => verifyCodeB(delivery, secrets, now()),
    normalise: normaliseCodeB,
  }
}

/** GitLab, by this machine's clock. */
export const codeB: WebhookAdapter = createCodeB(Date.now)
