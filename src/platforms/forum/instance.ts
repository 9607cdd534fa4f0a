/** The forum that sent a delivery, and its addresses. */
import { parseUrl } from '../../model/parse-url.js'
import { trimEndOf } from '../../model/trim.js'
import type { WebhookDelivery } from '../adapter.js'

export interface Instance {
  /**
   * Makes ids unique, such as `forum.example.org`, `forum.example.org:3000` or `example.org/community`: several forums
   * may share one host. It has no scheme, because a forum that moves to https stays the same forum.
   */
  host: string
  /** Scheme and host, the base of addresses with a leading slash; absent if the header is not a web address. */
  origin: string | undefined
  /** The home page, without trailing slash. */
  url: string | undefined
}

const WEB = /^https?:\/\//iu
/** Characters that need no encoding; Discourse percent-encodes slugs itself. */
const PLAIN_SEGMENT = /^[\w.~%-]+$/u
const LONE_SURROGATE = /\p{Cs}/gu

/** Reads `X-Discourse-Instance`, the base URL of the forum, with its sub-path if it has one. */
export function readInstance(headers: WebhookDelivery['headers']): Instance {
  const text = headers['x-discourse-instance']?.trim() ?? ''
  const address = text.includes('://') ? text : `https://${text}`
  const parsed = WEB.test(address) ? parseUrl(address) : undefined
  if (!parsed) return { host: 'unknown', origin: undefined, url: undefined }
  const { host, origin, pathname } = parsed
  const path = trimEndOf(pathname, '/')
  const isWeb = address === text
  return { host: `${host}${path}`, origin: isWeb ? origin : undefined, url: isWeb ? `${origin}${path}` : undefined }
}

/** The address of a page; undefined segments are omitted. */
export function linkTo({ url }: Instance, ...segments: (string | undefined)[]): string | undefined {
  if (url === undefined) return undefined
  return [url, ...segments.flatMap(segment => (segment === undefined ? [] : toSegment(segment)))].join('/')
}

/** A link from the forum, absolute or relative to its host. */
export function absoluteLink({ origin }: Instance, link: string | undefined): string | undefined {
  if (link === undefined || WEB.test(link)) return link
  return origin !== undefined && /^\/(?!\/)/u.test(link) ? `${origin}${link}` : undefined
}

function toSegment(text: string): string {
  return PLAIN_SEGMENT.test(text) ? text : encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'))
}
