import { AppError } from '../model/app-error.js'
import type { HttpRequest, Route } from './route.js'

export interface AccessSettings {
  /** Origin of the address people use when a proxy stands in front, such as `https://events.example.org`. */
  publicOrigin?: string
  /** The open ledger may be reached under any name, not only this machine's own. */
  allowOpen: boolean
}

/** Decides whether a request may use a route. @throws AppError `forbidden/local_only`, `forbidden/host_not_allowed`, `forbidden/origin_not_allowed` */
export type Authorise = (route: Pick<Route, 'access' | 'method'>, req: HttpRequest) => void

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * The rules of a ledger without users: whoever can reach it may do everything, so only pages of the web must be kept
 * out. A page elsewhere reaches us by a name of its own that resolves to this machine (its `Host` gives it away), or
 * from its own origin (`Origin`, `Sec-Fetch-Site`). Deliveries of events are outside the rule on origins: they must
 * be JSON, or carry a signature.
 */
export function openAccess(settings: AccessSettings): Authorise {
  return (route, req) => {
    if (req.local) return
    if (route.access === 'local') {
      throw new AppError('forbidden', 'local_only', "Only commands on the ledger's own machine may do this.", {
        hint: 'They reach it through the socket beside the database.',
      })
    }
    const { host } = req.headers
    if (!settings.allowOpen && (host === undefined || !LOOPBACK_HOST.test(host))) {
      throw new AppError(
        'forbidden',
        'host_not_allowed',
        'This ledger has no users yet, so it answers only under names of its own machine.',
        { hint: 'Call it as localhost, 127.0.0.1 or [::1].' },
      )
    }
    if (route.access !== 'deliver' && !originAllowed(route, req, settings.publicOrigin)) {
      throw new AppError('forbidden', 'origin_not_allowed', 'Pages of another origin may not use this API.', {
        hint: 'Open the page under the same address as the API, or set EVENT_PUBLIC_URL to the address it is served from.',
      })
    }
  }
}

function originAllowed(route: Pick<Route, 'method'>, req: HttpRequest, publicOrigin: string | undefined): boolean {
  const { origin } = req.headers
  if (origin !== undefined && origin !== publicOrigin && origin !== directOrigin(req.headers.host)) return false
  return route.method === 'GET' || req.headers['sec-fetch-site'] !== 'cross-site'
}

/** The origin of a page that we served without a proxy. Browsers leave the default port out. */
function directOrigin(host: string | undefined): string | undefined {
  return host === undefined ? undefined : `http://${host.toLowerCase().replace(/:80$/, '')}`
}
