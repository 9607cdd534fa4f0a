import type { TSchema } from '#typebox'
import type { PlatformSource } from '../model/platforms/platform-source.js'
import type { PlatformCatalogue } from '../platforms/catalogue.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { json } from './reply.js'
import type { Handler } from './route.js'
import type { ServedLedger } from './served-ledger.js'

/** `GET /api/stats` */
export function stats(ledger: ServedLedger): Handler {
  return async () => json(200, await ledger.stats())
}

/** `GET /api/schema/…`: the very schema that checks what comes in. */
export function schema(checked: TSchema): Handler {
  const reply = json(200, { $schema: 'https://json-schema.org/draft/2020-12/schema', ...checked })
  return () => reply
}

/**
 * `GET /api/platforms`: what each source can send, whether a secret is configured for it (never the secret), and the
 * configured address of a platform's server.
 */
export function platforms(
  catalogue: readonly PlatformCatalogue[],
  secrets: Readonly<Record<PlatformSource, readonly string[]>>,
  sites: Readonly<Partial<Record<PlatformSource, string | undefined>>>,
): Handler {
  const items = catalogue.map(entry => {
    const site = sites[entry.source]
    const configured = { secret_configured: secrets[entry.source].length > 0, ...(site === undefined ? {} : { site }) }
    return { ...entry, ...configured }
  })
  const reply = json(200, { items, count: items.length })
  return () => reply
}

/** `GET /metrics` */
export function metricsText(metrics: LedgerMetrics): Handler {
  return async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() })
}
