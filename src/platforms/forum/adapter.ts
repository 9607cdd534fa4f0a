import type { WebhookAdapter } from '../adapter.js'
import { FORUM_CATALOGUE } from './catalogue.js'
import { normaliseForum } from './normalise.js'
import { verifyForum } from './verify.js'

/** Discourse. */
export const forum: WebhookAdapter = {
  catalogue: FORUM_CATALOGUE,
  verify: verifyForum,
  normalise: normaliseForum,
}
