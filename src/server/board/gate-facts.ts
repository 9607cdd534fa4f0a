import type { BoardAccess } from '../../gate/access.js'
import type { RequestFacts } from '../../gate/gate.js'
import type { ToAddress } from '../../login/throttle-address.js'
import { addressOf } from '../http/caller-address.js'
import type { HttpRequest } from '../http/route.js'
import { readBearer } from '../request/shown-credentials.js'

/**
 * What the gate is told of a request. Headers of proxies are no part of it, but for the address that the throttle counts
 * for. None of the others came twice: the router has looked.
 */
export function factsOf(req: HttpRequest, access: BoardAccess, throttleAddress: ToAddress): RequestFacts {
  const { headers } = req
  return {
    access,
    method: req.method,
    local: req.local,
    host: headers.host,
    origin: headers.origin,
    referer: headers.referer,
    fetchSite: textOf(headers['sec-fetch-site']),
    bearer: readBearer(headers.authorization),
    boardToken: textOf(headers['x-board-token']),
    csrfToken: textOf(headers['x-csrf-token']),
    executorToken: textOf(headers['x-board-executor-token']),
    cookies: headers.cookie,
    address: addressOf(req, throttleAddress),
  }
}

/** Node joins the lines of such headers; its types do not know that. */
function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ')
}
