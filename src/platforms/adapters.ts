import type { PlatformSource } from '../model/platforms/platform-source.js'
import type { WebhookAdapter } from './adapter.js'
import type { PlatformCatalogue } from './catalogue.js'
import { chat } from './chat/adapter.js'
import { codeA } from './code-a/adapter.js'
import { codeB } from './code-b/adapter.js'
import { forum } from './forum/adapter.js'

const BY_SOURCE: Record<PlatformSource, WebhookAdapter> = { chat, forum, code_a: codeA, code_b: codeB }

/** All supported platforms. No other list of them exists. */
export const ADAPTERS: readonly WebhookAdapter[] = Object.values(BY_SOURCE)

export function adapterOf(source: PlatformSource): WebhookAdapter {
  return BY_SOURCE[source]
}

/**
 * For each platform: what it can send, how it is verified and how its scopes are named, for `GET /api/platforms`.
 *
 * Source: Event Ledger Service, "Endpoints" (platform action catalog).
 */
export function listPlatforms(): PlatformCatalogue[] {
  return ADAPTERS.map(adapter => adapter.catalogue)
}
