import type { PlatformCatalogue } from './adapter.js'
import { ADAPTERS } from './adapters.js'

/**
 * What each platform can send, how it is verified and how its scopes are named, for `GET /api/platforms`.
 *
 * Source: Event Ledger Service, "Endpoints" (platform action catalog).
 */
export function listPlatforms(): PlatformCatalogue[] {
  return ADAPTERS.map(adapter => adapter.catalogue)
}
