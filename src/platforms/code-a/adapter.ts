import { PLATFORM_NAMES } from '../../model/platforms/platform-source.js'
import { TARGET_FORMS } from '../../model/subscriptions/target-grammar.js'
import type { WebhookAdapter } from '../adapter.js'
import { namedKinds } from '../catalogue.js'
import { MAPPINGS } from './event-mappings.js'
import { normaliseCodeA } from './normalise.js'
import { verifyCodeA } from './verify.js'

/** GitHub, and Gitea, Forgejo and Gogs, which use its format. */
export const codeA: WebhookAdapter = {
  catalogue: {
    source: 'code_a',
    display_name: PLATFORM_NAMES.code_a,
    webhook_path: '/webhooks/code_a',
    verification:
      'HMAC-SHA256 of the raw body with the shared secret, in X-Hub-Signature-256, or in X-Forgejo-Signature, ' +
      'X-Gitea-Signature or X-Gogs-Signature; X-Hub-Signature (SHA-1) only where none of these is sent.',
    ...namedKinds([...MAPPINGS.values()].flatMap(({ kinds }) => kinds)),
    scope_types: ['repository', 'issue', 'pull_request'],
    target_grammar: [...TARGET_FORMS.code_a],
    capture_modes: ['webhook', 'poll'],
  },
  verify: verifyCodeA,
  normalise: normaliseCodeA,
}
