import type { List, Platform } from '#model/ledger-answers'
import { isPlatformSource } from '#model/platforms/platform-source'
import type { ShownSource, SourceDefinition, SourceProof } from '#model/sources/source-definition'
import { ApiProblem, api, createResource, segment } from '../../shared/server/api.js'
import { rootPath } from '../../shared/server/root-path.js'
import { isAdmin } from '../../shared/server/session.js'

/** A source that an operator has defined. Only admins see its definition. */
export interface ListedSource extends Pick<ShownSource, 'webhook_path' | 'accepts' | 'secret_count' | 'feed'> {
  definition: Partial<SourceDefinition> & Pick<SourceDefinition, 'name'>
  /** Whether the server reads it as a feed, so nothing is delivered to it. */
  isFeed: boolean
}

/** A source with its definition, as loaded by admins. */
export type WholeSource = ShownSource & ListedSource

export const sources = createResource<readonly ListedSource[]>(async signal => {
  if (isAdmin()) {
    const { items } = await api<List<ShownSource>>('/api/sources', { signal })
    return items.map(source => ({ ...source, isFeed: source.definition.proof.type === 'feed' }))
  }
  const { items } = await api<List<Platform>>('/api/platforms', { signal })
  const own = items.filter(({ source }) => !isPlatformSource(source))
  return own.map(({ source: name, display_name: description, webhook_path, secret_configured, capture_modes }) => ({
    ...{ definition: { name, description }, webhook_path, accepts: true, secret_count: Number(secret_configured) },
    isFeed: !capture_modes.includes('webhook'),
  }))
})

export function sourcePath(name: string): string {
  return `/api/sources/${segment(name)}`
}

export function addressOf({ webhook_path: path }: ListedSource): string {
  return `${location.origin}${rootPath}${path}`
}

/** `hmac sha256, X-Signature` */
export function proofWords({ type, ...proof }: SourceProof): string {
  const { algorithm = '', header, parameter, at, username, url } = proof as Partial<Record<string, unknown>>
  const login = 'login' in proof ? `login: ${proof.login?.type}` : ''
  return [`${type} ${algorithm}`.trim(), header ?? parameter ?? at ?? username ?? url, login].filter(Boolean).join(', ')
}

/** Whether a proof works without a secret. */
export function worksWithoutSecret(proof: SourceProof): boolean {
  return proof.type === 'feed' ? proof.login === undefined : proof.type === 'none'
}

/** The reason why a source records nothing. */
export function closedWords({ accepts, definition, feed, isFeed }: ListedSource): string | undefined {
  if (accepts) return feed?.problem
  return `It ${definition.enabled === false ? 'is off' : 'has no secret'}: it ${isFeed ? 'is not read' : 'accepts nothing'}.`
}

/** Makes the call; its failures name the places in the definition. */
export async function placed<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (problem) {
    const { status = 0, code, errors = [] } = problem instanceof ApiProblem ? problem : { code: 'invalid_json' }
    if (errors.length === 0 && !(problem instanceof SyntaxError)) throw problem
    const places = errors.map(({ field, detail }) => `${field}: ${detail}`).join(' ')
    throw new ApiProblem(status, {
      code,
      detail: places || `The definition is not JSON: ${(problem as Error).message}.`,
    })
  }
}
