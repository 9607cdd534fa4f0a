/** A name or an address with an optional port; anything else must never reach a URL parser. */
const HOST = /^(?:[a-z0-9._-]+|\[[a-f0-9]*:[a-f0-9.:]+\])(?::\d{1,5})?$/i

/**
 * Whether a `Host` header has a form that a browser could send. `a@evil.example` is a host to no browser and a
 * different host to every URL parser.
 *
 * Source: decisions on security, 0.4 and section 2, "Host pattern".
 */
export function isHost(text: string): boolean {
  return HOST.test(text)
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a `Host` header is a name of this machine itself. A page elsewhere whose name resolves to it gives itself away
 * so.
 *
 * Source: decisions on security, 0.17.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK_HOST.test(host)
}

/**
 * The origin of a page that we served without a proxy: none where the `Host` header is missing (HTTP/1.0) or is no
 * host. Browsers write origins in lower case and leave the default port out.
 *
 * Source: decisions on security, 0.5.
 */
export function directOrigin(host: string | undefined): string | undefined {
  if (host === undefined || !isHost(host)) return undefined
  return `http://${host.toLowerCase().replace(/:80$/, '')}`
}

/**
 * Whether an `Origin` header is one of ours, letter by letter. An absent or empty one is none, and neither is `null`,
 * which every sandboxed page sends. Whether a request may do without an `Origin` is for the caller to say.
 *
 * @param allowed origins as browsers write them, such as `https://events.example.org`.
 *
 * Source: decisions on security, 0.5.
 */
export function isSameOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  return origin !== undefined && /^https?:\/\//.test(origin) && allowed.includes(origin)
}
