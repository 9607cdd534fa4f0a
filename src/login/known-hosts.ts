import { isIPv6 } from 'node:net'
import { parseUrl } from '../model/parse-url.js'
import { isHost, isLoopbackHost } from './origins.js'

/**
 * Whether a request's host name is one under which the server answers.
 *
 * @param host the `Host` header, already checked by `isHost`
 * @param localAddress our address at this connection
 */
export type KnowsHost = (host: string | undefined, localAddress: string | undefined) => boolean

/**
 * Knows the given names, every loopback name, and the address of the connection: a foreign page whose own name resolves
 * to this machine (DNS rebinding) calls the server by that name, and by no other. Ports are ignored: a page gains
 * nothing by choosing them, and proxies change them.
 *
 * Source: decisions on security, section 3, "Host on L, closed".
 *
 * @param names host names and IP addresses, without ports
 */
export function createKnownHosts(names: readonly string[]): KnowsHost {
  const known = new Set(names.map(toHostName))
  return (host, localAddress) => {
    if (host === undefined || !isHost(host)) return false
    const name = toHostName(host)
    return isLoopbackHost(host) || known.has(name) || (localAddress !== undefined && name === toHostName(localAddress))
  }
}

/** One spelling per name and address, without the port. */
function toHostName(host: string): string {
  const address = host.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/s, '')
  const url = `http://${isIPv6(address) ? `[${address}]` : address}`
  return parseUrl(url)?.hostname ?? host.toLowerCase()
}
