import type { WebhookAdapter } from '../adapter.js'
import { CODE_A_CATALOGUE } from './catalogue.js'
import { normaliseCodeA } from './normalise.js'
import { verifyCodeA } from './verify.js'

/** GitHub, and Gitea, Forgejo and Gogs, which use its format. */
export const codeA: WebhookAdapter = {
  catalogue: CODE_A_CATALOGUE,
  verify: verifyCodeA,
  normalise: normaliseCodeA,
}
