import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { AppError } from '../model/app-error.js'

/** Shared by callers whose address is unknown. */
const UNKNOWN = 'unknown'

/** `mapped` IPv4 addresses (`::ffff:a.b.c.d`) count as IPv4, however they are spelt. */
interface Address {
  family: 'ipv4' | 'ipv6'
  /** IPv6 as eight groups of four digits. */
  text: string
}

interface AddressRange {
  address: Address
  prefix: number
}

/** Maps the peer's address and its `X-Forwarded-For` to an address. */
export type ToAddress = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string

/**
 * Maps a request to the address that the login throttle counts: an IPv4 address, or the /64 of an IPv6 address, because
 * one customer has the whole /64.
 *
 * @param trustedProxies addresses or CIDR ranges.
 * @throws AppError `configuration/proxy_invalid` for an entry that is neither.
 *
 * Source: decisions on security, section 2, "throttle" and "TRUSTED_PROXIES".
 */
export function createThrottleAddress(trustedProxies: readonly string[]): ToAddress {
  const findCaller = createFindCaller(trustedProxies)
  return (remoteAddress, forwardedFor) => {
    const caller = findCaller(remoteAddress, forwardedFor)
    return caller === undefined ? UNKNOWN : throttleKey(caller)
  }
}

/** The caller's full address, for logs. @throws AppError as `createThrottleAddress` */
export function createCallerAddress(trustedProxies: readonly string[]): ToAddress {
  const findCaller = createFindCaller(trustedProxies)
  return (remoteAddress, forwardedFor) => {
    const caller = findCaller(remoteAddress, forwardedFor)
    return caller === undefined ? UNKNOWN : shownAddress(caller)
  }
}

/**
 * The only place that trusts forwarded headers, and only if the peer is a listed proxy. The caller is then the
 * right-most address of `X-Forwarded-For` that is not a listed proxy: the caller wrote everything left of it.
 */
function createFindCaller(
  trustedProxies: readonly string[],
): (remoteAddress: string | undefined, forwardedFor: string | undefined) => Address | undefined {
  const proxies = proxyLists(trustedProxies)
  const isTrusted = ({ text, family }: Address) => proxies[family].check(text, family)

  return (remoteAddress, forwardedFor) => {
    let caller = remoteAddress === undefined ? undefined : readAddress(remoteAddress)
    if (caller === undefined) return undefined
    const hops = forwardedFor?.split(',') ?? []
    while (hops.length > 0 && isTrusted(caller)) {
      const hop = readHop(hops.pop() ?? '')
      // A listed proxy forwarded something other than an address: this is the last known hop.
      if (hop === undefined) break
      caller = hop
    }
    return caller
  }
}

/** Whether a text is an address or a range of addresses, such as `10.0.0.0/8` or `::1`. */
export function isCidr(text: string): boolean {
  return readRange(text) !== undefined
}

/** One list per family: a shared one matches an IPv4 address against `::/64`, because it includes the mapped ones. */
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
  // A range of mapped addresses is a range of IPv4; a wider one would reach beyond them.
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
  const groups = ipv6Groups(text.replace(/%.*/s, ''))
  if (groups.slice(0, 6).join('') !== '00000000000000000000ffff') return { family: 'ipv6', text: groups.join(':') }
  const bytes = Buffer.from(groups.slice(6).join(''), 'hex')
  return { family: 'ipv4', text: bytes.join('.') }
}

/** The URL parser reads every spelling of an IPv6 address and writes one, which omits only zeros. */
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

/** IPv6 in its shortest form, as the URL parser writes it. */
function shownAddress({ family, text }: Address): string {
  return family === 'ipv4' ? text : new URL(`http://[${text}]`).hostname.slice(1, -1)
}
