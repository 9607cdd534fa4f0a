import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import type { Agent } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Addresses of this machine, of private networks, and of anything other than a single host. Source: RFC 6890. */
const PRIVATE = new BlockList()
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
]) {
  PRIVATE.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  // Addresses with an IPv4 address inside, to which a gateway may connect.
  ...([
    ['::', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2001::', 32],
    ['2002::', 16],
  ] as const),
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6')
}

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/** Whether a host is a literal private address. A name is checked only when it is resolved. */
export function isPrivateLiteral(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/u, '$1')
  return isIP(address) !== 0 && isPrivate(address)
}

/** An agent that connects only to public addresses, even if a name resolves to another one. */
export function publicAgent(isSecure: boolean): Agent {
  const module = isSecure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
  return new module.Agent({ lookup: lookupPublic })
}

function lookupPublic(hostname: string, options: LookupOptions, found: Found): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return found(error, [])
    const [first] = addresses
    if (!first || addresses.some(({ address }) => isPrivate(address))) {
      return found(Object.assign(new Error('a private address'), { code: 'a private address' }), [])
    }
    if (options.all) found(null, addresses)
    else found(null, first.address, first.family)
  })
}

function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
