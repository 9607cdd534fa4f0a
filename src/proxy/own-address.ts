/** An address and a port on which this process listens, or to which a connection leads. */
export interface SocketAddress {
  address: string
  port: number
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/
/** Listeners on these accept connections at every address of the machine. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::']

/**
 * Whether a connection leads back to this process. Decided by the connected address, never by a name: `localhost`,
 * `0x7f.1` and DNS names can all mean the same address.
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
  const address = canonical(remote.address)
  return listeners.some(listener => {
    if (listener.port !== remote.port) return false
    if (!EVERYWHERE.includes(listener.address)) return canonical(listener.address) === address
    return LOOPBACK.test(address) || EVERYWHERE.includes(address) || interfaces().map(canonical).includes(address)
  })
}

/** One spelling for each address: without its zone, and mapped IPv4 as IPv4. */
function canonical(address: string): string {
  return address
    .toLowerCase()
    .replace(/%.*/s, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
}
