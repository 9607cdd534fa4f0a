import { PlatformsSchema } from '../../model/ledger-answers.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import type { PlatformCatalogue } from '../../platforms/catalogue.js'
import { catalogueOf } from '../../platforms/defined/adapter.js'
import { json } from '../answer/reply.js'
import type { ServedSources } from '../events/source-routes.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'

interface PlatformsParts {
  catalogue: readonly PlatformCatalogue[]
  secrets: Readonly<Record<PlatformSource, readonly string[]>>
  sources: Pick<ServedSources, 'list'>
  chatSite: string | undefined
}

/** `GET /api/platforms`: the platforms, then the operator's sources. Shows whether a secret is configured, never the secret. */
export function platforms({ catalogue, secrets, chatSite, sources }: PlatformsParts): Endpoint {
  const items = catalogue.map(entry => {
    const site = entry.source === 'chat' ? chatSite : undefined
    const configured = { secret_configured: secrets[entry.source].length > 0, ...(site === undefined ? {} : { site }) }
    return { ...entry, ...configured }
  })
  return documented(DOC, async () => {
    const own = (await sources.list()).map(({ definition, secret_count }) => {
      return { ...catalogueOf(definition), secret_configured: secret_count > 0 }
    })
    return json(200, { items: [...items, ...own], count: items.length + own.length })
  })
}

const DOC: RouteDoc = {
  summary: 'The events that each source can send, and how to watch it',
  description: 'Also shows whether the webhook of each source has a secret, never the secret.',
  answers: { 200: { description: 'The catalogue', schema: PlatformsSchema } },
}
