/** An address and a port on which this process listens, or to which a connection leads. */
export interface SocketAddress {
  address: string
  port: number
}

/** As the system writes an address. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::']

/**
 * Whether a connection leads back to this process. Asked of the connected address, never of a name: `localhost`,
 * `0x7f.1` and any name of the DNS are only other words for it.
 *
 * @param interfaces every address of this machine
 *
 * Source: decisions on security, section 5, "not our own listener".
 */
export function isOwnAddress(
  remote: SocketAddress,
  listeners: readonly SocketAddress[],
  interfaces: () => readonly string[],
): boolean {
  const address = plain(remote.address)
  return listeners.some(listener => {
    if (listener.port !== remote.port) return false
    if (!EVERYWHERE.includes(listener.address)) return plain(listener.address) === address
    return LOOPBACK.test(address) || EVERYWHERE.includes(address) || interfaces().map(plain).includes(address)
  })
}

/** One spelling for each address: without its zone, and IPv4 as such. */
function plain(address: string): string {
  return address
    .toLowerCase()
    .replace(/%.*/s, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
}
