import type { ListedHook, ListingSource } from '../../model/platforms/reconciliation.js'
import { CodeADeliveries } from '../code-a/deliveries-list.js'
import { CodeBDeliveries } from '../code-b/deliveries-list.js'
import { ForumDeliveries } from '../forum/deliveries-list.js'
import type { DeliveriesList } from './deliveries-list.js'
import { PlatformApi, type PlatformApiOptions } from './platform-api.js'

interface Listing {
  headers: (hook: ListedHook) => Record<string, string>
  open: (api: PlatformApi, origin: string, path: string) => DeliveriesList
}

const LISTINGS: Record<ListingSource, Listing> = {
  code_a: {
    headers: ({ token }) => ({
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    }),
    open: (...parts) => new CodeADeliveries(...parts),
  },
  code_b: {
    headers: ({ token }) => ({ accept: 'application/json', 'private-token': token }),
    open: (...parts) => new CodeBDeliveries(...parts),
  },
  forum: {
    headers: ({ token, username = 'system' }) => ({
      accept: 'application/json',
      'api-key': token,
      'api-username': username,
    }),
    open: (...parts) => new ForumDeliveries(...parts),
  },
}

/** Opens the list of a hook's deliveries. @param hook with an address that `readHookUrl` returned */
export function openDeliveriesList(
  hook: ListedHook,
  options: Pick<PlatformApiOptions, 'sleep' | 'now' | 'onWait'>,
): DeliveriesList {
  const { headers, open } = LISTINGS[hook.source]
  const { origin, pathname } = new URL(hook.url)
  const api = new PlatformApi({ ...options, origin, headers: { ...headers(hook), 'user-agent': 'Daybook' } })
  return open(api, origin, pathname)
}
