/** The forum that a delivery comes from, and addresses on it. */
import type { WebhookDelivery } from '../adapter.js'

export interface Instance {
  /**
   * What makes its ids unique, such as `forum.example.org`, `forum.example.org:3000` or `example.org/community`: several
   * forums may live under one host. Without the scheme, as a forum that moves to https stays the same forum.
   */
  host: string
  /** Scheme and host, where addresses that begin with a slash start; absent where the header is no web address. */
  origin: string | undefined
  /** The first page, without a slash at the end. */
  url: string | undefined
}

const WEB = /^https?:\/\//iu
/** What an address may hold as it is; Discourse percent-encodes slugs itself where needed. */
const PLAIN_SEGMENT = /^[\w.~%-]+$/u
const LONE_SURROGATE = /\p{Cs}/gu

/** From `X-Discourse-Instance`, which holds the base URL of the forum, with the sub-path where it lives under one. */
export function readInstance(headers: WebhookDelivery['headers']): Instance {
  const text = headers['x-discourse-instance']?.trim() ?? ''
  const address = text.includes('://') ? text : `https://${text}`
  if (!WEB.test(address) || !URL.canParse(address)) return { host: 'unknown', origin: undefined, url: undefined }
  const { host, origin, pathname } = new URL(address)
  const path = pathname.replace(/\/+$/u, '')
  const isWeb = address === text
  return { host: `${host}${path}`, origin: isWeb ? origin : undefined, url: isWeb ? `${origin}${path}` : undefined }
}

/** The address of a page; segments that are not known are left out. */
export function linkTo({ url }: Instance, ...segments: (string | undefined)[]): string | undefined {
  if (url === undefined) return undefined
  return [url, ...segments.flatMap(segment => (segment === undefined ? [] : toSegment(segment)))].join('/')
}

/** A link that the forum itself gives, whole or from the root of its host. */
export function absoluteLink({ origin }: Instance, link: string | undefined): string | undefined {
  if (link === undefined || WEB.test(link)) return link
  return origin !== undefined && /^\/(?!\/)/u.test(link) ? `${origin}${link}` : undefined
}

function toSegment(text: string): string {
  return PLAIN_SEGMENT.test(text) ? text : encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'))
}
