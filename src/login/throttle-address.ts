import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { AppError } from '../model/app-error.js'

/** Callers whose address nobody knows share it. */
const UNKNOWN = 'unknown'

/** `mapped` IPv4 addresses (`::ffff:a.b.c.d`) are IPv4 here, however they are spelt. */
interface Address {
  family: 'ipv4' | 'ipv6'
  /** IPv6 as eight groups of four digits. */
  text: string
}

interface AddressRange {
  address: Address
  prefix: number
}

/**
 * Makes the address that the login throttle counts for: an IPv4 address, or the /64 of an IPv6 address, as one
 * customer holds all of it. Forwarded headers are believed here and nowhere else, and only if the peer is a listed
 * proxy: then it is the right-most address of `X-Forwarded-For` that is no listed proxy, since everything left of it
 * is whatever the caller wrote.
 *
 * @param trustedProxies addresses or CIDR ranges.
 * @throws AppError `configuration/proxy_invalid` for one that is neither.
 *
 * Source: decisions on security, section 2, "throttle" and "TRUSTED_PROXIES".
 */
export function createThrottleAddress(
  trustedProxies: readonly string[],
): (remoteAddress: string | undefined, forwardedFor: string | undefined) => string {
  const proxies = proxyLists(trustedProxies)
  const isTrusted = ({ text, family }: Address) => proxies[family].check(text, family)

  return (remoteAddress, forwardedFor) => {
    let caller = remoteAddress === undefined ? undefined : readAddress(remoteAddress)
    if (caller === undefined) return UNKNOWN
    const hops = forwardedFor?.split(',') ?? []
    while (hops.length > 0 && isTrusted(caller)) {
      const hop = readHop(hops.pop() ?? '')
      // A listed proxy passed on what is no address: it is the last hop that is known.
      if (hop === undefined) break
      caller = hop
    }
    return throttleKey(caller)
  }
}

/** Whether a text is an address or a range of addresses, such as `10.0.0.0/8` or `::1`. */
export function isCidr(text: string): boolean {
  return readRange(text) !== undefined
}

/** One list for each family: a single one takes an IPv4 address for part of `::/64`, as it knows the mapped ones too. */
function proxyLists(trustedProxies: readonly string[]): Record<Address['family'], BlockList> {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const text of trustedProxies) {
    const range = readRange(text)
    if (range === undefined) {
      throw new AppError(
        'configuration',
        'proxy_invalid',
        `"${text}" is neither an address nor a range of addresses.`,
        {
          hint: 'Write it like 10.0.0.0/8 or ::1.',
        },
      )
    }
    const { text: base, family } = range.address
    lists[family].addSubnet(base, range.prefix, family)
  }
  return lists
}

function readRange(text: string): AddressRange | undefined {
  const [, base = '', length] = /^([0-9a-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? []
  const address = readAddress(base)
  if (address === undefined) return undefined
  const bits = isIPv4(base) ? 32 : 128
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return undefined
  // A range of mapped addresses is one of IPv4; a wider one would reach beyond them.
  const widened = bits === 128 && address.family === 'ipv4' ? prefix - 96 : prefix
  return widened < 0 ? undefined : { address, prefix: widened }
}

/** One entry of `X-Forwarded-For`; some proxies add the port. */
function readHop(text: string): Address | undefined {
  const hop = text.trim()
  const [, ipv4, ipv6] = /^(?:([\d.]+):\d+|\[([^\]]*)\](?::\d+)?)$/.exec(hop) ?? []
  return readAddress(ipv4 ?? ipv6 ?? hop)
}

function readAddress(text: string): Address | undefined {
  if (isIP(text) === 0) return undefined
  if (!isIPv6(text)) return { family: 'ipv4', text }
  const groups = ipv6Groups(text.replace(/%.*$/, ''))
  if (groups.slice(0, 6).join('') !== '00000000000000000000ffff') return { family: 'ipv6', text: groups.join(':') }
  const bytes = Buffer.from(groups.slice(6).join(''), 'hex')
  return { family: 'ipv4', text: bytes.join('.') }
}

/** The URL parser knows every spelling of an IPv6 address and gives back one, in which only zeros are left out. */
function ipv6Groups(text: string): string[] {
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].map(group => group.padStart(4, '0'))
}

function throttleKey({ family, text }: Address): string {
  return family === 'ipv4' ? text : `${text.slice(0, 19)}::/64`
}
