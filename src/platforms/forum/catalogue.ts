import type { PlatformCatalogue } from '../adapter.js'
import { namedKinds } from '../named-kinds.js'
import { targetGrammarOf } from '../scope-key.js'
import { ROWS } from './rows.js'

/** What the forum can send, derived from the mapping's rows. */
export const FORUM_CATALOGUE: PlatformCatalogue = {
  source: 'forum',
  display_name: 'Discourse',
  webhook_path: '/webhooks/forum',
  verification: 'HMAC-SHA256 of the raw body with the shared secret, in X-Discourse-Event-Signature.',
  ...namedKinds([...ROWS.values()].flatMap(row => row.kinds)),
  scope_types: ['category', 'topic'],
  target_grammar: targetGrammarOf('forum'),
  capture_modes: ['webhook'],
}
