import type { PlatformCatalogue } from '../adapter.js'
import { namedKinds } from '../named-kinds.js'
import { targetGrammarOf } from '../scope-key.js'
import { ROWS } from './rows.js'

/** What chat can send, derived from the mapping's rows. */
export const CHAT_CATALOGUE: PlatformCatalogue = {
  source: 'chat',
  display_name: 'Zulip',
  webhook_path: '/webhooks/chat',
  verification: 'The bot\'s token, in the "token" member of the body; events that a program forwards may carry it too.',
  ...namedKinds([...ROWS.values()].flatMap(row => row.kinds)),
  scope_types: ['stream', 'topic'],
  target_grammar: targetGrammarOf('chat'),
  capture_modes: ['webhook', 'api_cursor', 'poll'],
}
