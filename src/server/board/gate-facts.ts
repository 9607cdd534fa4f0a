import type { BoardAccess } from '../../gate/access.js'
import type { RequestFacts } from '../../gate/gate.js'
import type { ToAddress } from '../../login/caller-address.js'
import { addressOf } from '../http/request-address.js'
import type { HttpRequest } from '../http/route.js'
import { readBearer } from '../request/credentials.js'

/**
 * The parts of a request that the gate uses. Headers of proxies only determine the address that the throttle counts.
 * The router has checked that no other header came twice.
 */
export function factsOf(
  req: Pick<HttpRequest, 'headers' | 'socket' | 'local' | 'method'>,
  access: BoardAccess,
  throttleAddress: ToAddress,
): RequestFacts {
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

/** Node joins the lines of such headers, contrary to its types. */
function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ')
}
