import { parseUrl } from '../parse-url.js'
import { trimEndOf } from '../trim.js'
import type { ListingSource } from './reconciliation.js'

interface HookAddress {
  /** For people. */
  example: string
  path: RegExp
}

const ADDRESSES: Record<ListingSource, HookAddress> = {
  code_a: {
    example: 'https://api.github.com/repos/acme/site/hooks/12345678',
    path: /\/(?:(?:repos\/[^/]+\/[^/]+|orgs\/[^/]+)\/hooks\/\d+|app\/hook)$/u,
  },
  code_b: {
    example: 'https://gitlab.example.org/api/v4/projects/42/hooks/7',
    path: /\/api\/v4\/(?:projects|groups)\/[^/]+\/hooks\/\d+$/u,
  },
  forum: { example: 'https://forum.example.org/admin/api/web_hooks/3', path: /\/admin\/api\/web_hooks\/\d+$/u },
}

/**
 * The address of a webhook in the API of its platform.
 *
 * @returns undefined if it is not such an address, or contains more
 */
export function readHookUrl(source: ListingSource, text: string): string | undefined {
  const url = /^https?:\/\//u.test(text) ? parseUrl(text) : undefined
  if (!url) return undefined
  const { origin, pathname, search, hash, username, password } = url
  const path = trimEndOf(pathname, '/')
  const isPlain = search === '' && hash === '' && username === '' && password === ''
  return isPlain && ADDRESSES[source].path.test(path) ? `${origin}${path}` : undefined
}

/** The address of the platform that has the hook, such as `https://host.example/gitlab`. */
export function platformOfHook({ source, url }: { source: ListingSource; url: string }): string {
  return url.replace(ADDRESSES[source].path, '')
}

/** Whether it is the webhook of a GitHub App, whose deliveries only the app itself may read. */
export function isAppHook(url: string): boolean {
  return url.endsWith('/app/hook')
}

export function hookExample(source: ListingSource): string {
  return ADDRESSES[source].example
}
