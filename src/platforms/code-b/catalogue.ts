import type { PlatformCatalogue } from '../adapter.js'
import { namedKinds } from '../named-kinds.js'
import { targetGrammarOf } from '../scope-key.js'
import { ROWS } from './rows.js'

/** What code_b can send, derived from the mapping's rows. */
export const CODE_B_CATALOGUE: PlatformCatalogue = {
  source: 'code_b',
  display_name: 'GitLab',
  webhook_path: '/webhooks/code_b',
  verification:
    'With a signing token (whsec_…), HMAC-SHA256 of id, time and raw body in webhook-signature, from within five ' +
    'minutes; else the secret token in X-Gitlab-Token.',
  ...namedKinds([...ROWS.values()].flatMap(row => row.kinds)),
  scope_types: ['repository', 'issue', 'pull_request'],
  target_grammar: targetGrammarOf('code_b'),
  capture_modes: ['webhook'],
}
