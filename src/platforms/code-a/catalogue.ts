import type { PlatformCatalogue } from '../adapter.js'
import { namedKinds } from '../named-kinds.js'
import { targetGrammarOf } from '../scope-key.js'
import { ROWS } from './rows.js'

/** What code_a can send, derived from the mapping's rows. */
export const CODE_A_CATALOGUE: PlatformCatalogue = {
  source: 'code_a',
  display_name: 'GitHub, Gitea, Forgejo, Gogs',
  webhook_path: '/webhooks/code_a',
  verification:
    'HMAC-SHA256 of the raw body with the shared secret, in X-Hub-Signature-256, or in X-Forgejo-Signature, ' +
    'X-Gitea-Signature or X-Gogs-Signature; X-Hub-Signature (SHA-1) only where none of these is sent.',
  ...namedKinds([...ROWS.values()].flatMap(row => row.kinds)),
  scope_types: ['repository', 'issue', 'pull_request'],
  target_grammar: targetGrammarOf('code_a'),
  capture_modes: ['webhook'],
}
