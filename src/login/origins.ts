import { trimEndOf } from '../model/trim.js'

/** A name or an address with an optional port. Nothing else may reach a URL parser. */
const HOST = /^(?:[a-z0-9._-]+|\[[a-f0-9]*:[a-f0-9.:]+\])(?::\d{1,5})?$/i

/**
 * Whether a `Host` header has a form that a browser can send. Browsers never send `a@evil.example` as a host, and URL
 * parsers disagree on its host.
 *
 * Source: decisions on security, 0.4 and section 2, "Host pattern".
 */
export function isHost(text: string): boolean {
  return HOST.test(text)
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a `Host` header names this machine itself. This exposes a foreign page whose name resolves to this machine.
 *
 * Source: decisions on security, 0.17.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK_HOST.test(host)
}

/**
 * An address of this machine under the name by which a request came, `localhost` or `127.0.0.1`: browsers keep the cookies
 * of the two apart. Any other address stays as it is.
 */
export function underNameOf(host: string | undefined, url: string): string {
  const [name] = host?.toLowerCase().match(/^(?:localhost|127\.0\.0\.1)(?=:|$)/) ?? []
  const to = new URL(url)
  if (name === undefined || !isLoopbackHost(to.host)) return url
  to.hostname = name
  return trimEndOf(to.href, '/')
}

/**
 * The origin of a page served without a proxy: none if the `Host` header is missing (HTTP/1.0) or is not a host. Browsers
 * write origins in lower case and omit the default port.
 *
 * Source: decisions on security, 0.5.
 */
export function directOrigin(host: string | undefined): string | undefined {
  if (host === undefined || !isHost(host)) return undefined
  return `http://${host.toLowerCase().replace(/:80$/, '')}`
}

/**
 * Whether an `Origin` header is one of ours, compared exactly. An absent or empty one is not, and neither is `null`,
 * which every sandboxed page sends. The caller decides whether a request may omit `Origin`.
 *
 * @param allowed origins as browsers write them, such as `https://events.example.org`.
 *
 * Source: decisions on security, 0.5.
 */
export function isSameOrigin(origin: string | undefined, allowed: readonly (string | undefined)[]): boolean {
  return origin !== undefined && /^https?:\/\//.test(origin) && allowed.includes(origin)
}
