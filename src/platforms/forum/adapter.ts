import { PLATFORM_NAMES } from '../../model/platforms/platform-source.js'
import { TARGET_FORMS } from '../../model/subscriptions/target-grammar.js'
import type { WebhookAdapter } from '../adapter.js'
import { namedKinds } from '../catalogue.js'
import { MAPPINGS } from './event-mappings.js'
import { normaliseForum } from './normalise.js'
import { verifyForum } from './verify.js'

/** Discourse. */
export const forum: WebhookAdapter = {
  catalogue: {
    source: 'forum',
    display_name: PLATFORM_NAMES.forum,
    webhook_path: '/webhooks/forum',
    verification: 'HMAC-SHA256 of the raw body with the shared secret, in X-Discourse-Event-Signature.',
    ...namedKinds([...MAPPINGS.values()].flatMap(({ kinds }) => kinds)),
    scope_types: ['category', 'topic'],
    target_grammar: [...TARGET_FORMS.forum],
    capture_modes: ['webhook', 'poll'],
  },
  verify: verifyForum,
  normalise: normaliseForum,
}
