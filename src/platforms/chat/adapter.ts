import { PLATFORM_NAMES } from '../../model/platforms/platform-source.js'
import { TARGET_FORMS } from '../../model/subscriptions/target-grammar.js'
import type { WebhookAdapter } from '../adapter.js'
import { namedKinds } from '../catalogue.js'
import { MAPPINGS } from './event-mappings.js'
import { normaliseChat } from './normalise.js'
import { verifyChat } from './verify.js'

/** Zulip. */
export const chat: WebhookAdapter = {
  catalogue: {
    source: 'chat',
    display_name: PLATFORM_NAMES.chat,
    webhook_path: '/webhooks/chat',
    verification:
      'The bot\'s token, in the "token" member of the body; events that a program forwards may carry it too.',
    ...namedKinds([...MAPPINGS.values()].flatMap(({ kinds }) => kinds)),
    scope_types: ['stream', 'topic'],
    target_grammar: [...TARGET_FORMS.chat],
    capture_modes: ['webhook', 'api_cursor', 'poll'],
  },
  verify: verifyChat,
  provesInBody: true,
  normalise: normaliseChat,
  // The platform reads the response. Without this member it might post part of it into the conversation.
  answer: { response_not_required: true },
}
