import { platformOfHook } from '../../model/platforms/hook-address.js'
import type { ListedHook, ListingSource } from '../../model/platforms/reconciliation.js'
import { PlatformApi, type PlatformApiOptions, type RequestPolicy } from '../api/platform-api.js'
import { appTokens } from '../code-a/app-token.js'
import { CodeADeliveries } from '../code-a/deliveries-list.js'
import { CodeBDeliveries } from '../code-b/deliveries-list.js'
import { ForumDeliveries } from '../forum/deliveries-list.js'
import type { DeliveriesList } from './deliveries-list.js'

interface Listing {
  /** @param credential in its current form */
  headers: (hook: ListedHook, credential: string) => Record<string, string>
  open: (api: PlatformApi, path: string) => DeliveriesList
}

const CHECK_ADDRESS = 'Check the address of the hook.'

const MANNERS: RequestPolicy = {
  connections: 1,
  longestWaitSeconds: 60,
  retrySeconds: [1, 3],
  words: {
    checkAddress: CHECK_ADDRESS,
    again: 'Run it again later.',
    refused: {
      401: {
        category: 'unauthenticated',
        code: 'platform_credentials_refused',
        what: 'does not accept the token',
        hint: 'Check that it is current, and that it is of this server.',
      },
      403: {
        category: 'forbidden',
        code: 'platform_not_permitted',
        what: 'does not let this token read the deliveries of the hook',
        hint: 'Give it the right to administer the hooks of the repository, group or forum.',
      },
      404: {
        category: 'not_found',
        code: 'hook_unknown',
        what: 'has no such hook, or does not show it to this token',
        hint: `${CHECK_ADDRESS} And check what the token may see.`,
      },
    },
  },
}

const LISTINGS: Record<ListingSource, Listing> = {
  code_a: {
    headers: (_, token) => ({
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    }),
    open: (...parts) => new CodeADeliveries(...parts),
  },
  code_b: {
    headers: (_, token) => ({ accept: 'application/json', 'private-token': token }),
    open: (...parts) => new CodeBDeliveries(...parts),
  },
  forum: {
    headers: ({ username = 'system' }, token) => ({
      accept: 'application/json',
      'api-key': token,
      'api-username': username,
    }),
    open: (...parts) => new ForumDeliveries(...parts),
  },
}

/** Opens the list of a hook's deliveries. @param hook with an address from `readHookUrl` */
export function openDeliveriesList(
  hook: ListedHook,
  options: Pick<PlatformApiOptions, 'sleep' | 'now' | 'onWait'>,
): DeliveriesList {
  const { headers, open } = LISTINGS[hook.source]
  // Also a redirect is followed only below the address of the platform: the host may have other programs.
  const baseUrl = platformOfHook(hook)
  const { token = '', app } = hook
  const credential = app ? appTokens(app, options.now) : () => token
  const calls = {
    ...options,
    baseUrl,
    headers: () => ({ ...headers(hook, credential()), 'user-agent': 'Daybook' }),
  }
  return open(new PlatformApi(calls, MANNERS), hook.url.slice(baseUrl.length))
}
