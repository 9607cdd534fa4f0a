import type { PlatformCatalogue, PlatformSource } from './adapter.js'
import { codeA } from './code-a/adapter.js'
import { targetGrammarOf } from './scope-key.js'

const CATALOGUES: Record<PlatformSource, PlatformCatalogue> = {
  chat: {
    source: 'chat',
    display_name: 'Zulip',
    webhook_path: '/webhooks/chat',
    verification: 'The bot\'s token, in the "token" member of the body.',
    kinds: [],
    actions: [],
    scope_types: ['stream', 'topic'],
    target_grammar: targetGrammarOf('chat'),
    capture_modes: ['webhook', 'api_cursor', 'poll'],
  },
  forum: {
    source: 'forum',
    display_name: 'Discourse',
    webhook_path: '/webhooks/forum',
    verification: 'HMAC-SHA256 of the raw body with the shared secret, in X-Discourse-Event-Signature.',
    kinds: [],
    actions: [],
    scope_types: ['category', 'topic'],
    target_grammar: targetGrammarOf('forum'),
    capture_modes: ['webhook'],
  },
  code_a: codeA.catalogue,
  code_b: {
    source: 'code_b',
    display_name: 'GitLab',
    webhook_path: '/webhooks/code_b',
    verification: 'A signature in webhook-signature (signing token), or the secret token in X-Gitlab-Token.',
    kinds: [],
    actions: [],
    scope_types: ['repository', 'issue', 'pull_request'],
    target_grammar: targetGrammarOf('code_b'),
    capture_modes: ['webhook'],
  },
}

/**
 * What each platform can send, how it proves itself and how its scopes are named, for `GET /api/platforms`.
 *
 * Source: Event Ledger Service, "Endpoints" (platform action catalog).
 */
export function listPlatforms(): PlatformCatalogue[] {
  return Object.values(CATALOGUES)
}
