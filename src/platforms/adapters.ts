import type { PlatformSource, WebhookAdapter } from './adapter.js'
import { chat } from './chat/adapter.js'
import { codeA } from './code-a/adapter.js'
import { codeB } from './code-b/adapter.js'
import { forum } from './forum/adapter.js'

const BY_SOURCE: Record<PlatformSource, WebhookAdapter> = { chat, forum, code_a: codeA, code_b: codeB }

/** All supported platforms: the only list of them. */
export const ADAPTERS: readonly WebhookAdapter[] = Object.values(BY_SOURCE)

export function adapterOf(source: PlatformSource): WebhookAdapter {
  return BY_SOURCE[source]
}
