import type { WebhookAdapter } from '../adapter.js'
import { CHAT_CATALOGUE } from './catalogue.js'
import { normaliseChat } from './normalise.js'
import { verifyChat } from './verify.js'

/** Zulip. */
export const chat: WebhookAdapter = {
  catalogue: CHAT_CATALOGUE,
  verify: verifyChat,
  provesInBody: true,
  normalise: normaliseChat,
  // The platform reads the response: without this it might post part of it into the conversation.
  answer: { response_not_required: true },
}
