import { directOrigin, isSameOrigin } from '../../login/origins.js'
import type { HttpRequest, Method } from './route.js'

interface CrossOriginParts<Rule extends string> {
  /** Origins whose pages may call the API, as browsers write them. */
  origins: readonly string[]
  /** The origin of the public address behind a proxy. Its pages are our own. */
  publicOrigin: string | undefined
  /** Routes with these rules may be called. */
  accesses: ReadonlySet<Rule>
}

/** Headers that a page may send. `Accept`, and `Content-Type` of a form, need no permission. */
const REQUEST_HEADERS = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'If-None-Match', 'Last-Event-ID'],
  ...['X-Request-Id', 'traceparent'],
].join(', ')
/** Headers that a page may read, apart from those that every page may read. */
const ANSWER_HEADERS = 'ETag, Retry-After, X-Request-Id'
const PREFLIGHT_SECONDS = 600

/**
 * Permits pages of listed origins to call the API with a token. Credentials that a browser sends automatically are
 * never permitted: no answer has `Access-Control-Allow-Credentials`, and the session cookie is ignored.
 *
 * Source: WHATWG Fetch, "HTTP-CORS protocol"; docs/decisions/0044.
 */
export class CrossOrigin<Rule extends string> {
  readonly #origins: ReadonlySet<string>

  constructor(private readonly parts: CrossOriginParts<Rule>) {
    this.#origins = new Set(parts.origins)
  }

  /** The listed origin of the page that sent the request, if its pages may use the route. */
  originOf({ headers, local }: Pick<HttpRequest, 'headers' | 'local'>, access: Rule): string | undefined {
    const { host, origin } = headers
    if (origin === undefined || local || !this.#origins.has(origin) || !this.parts.accesses.has(access))
      return undefined
    return isSameOrigin(origin, [directOrigin(host), this.parts.publicOrigin]) ? undefined : origin
  }
}

/** Headers of every answer to a page of a listed origin. */
export function permission(origin: string): string[] {
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', ANSWER_HEADERS, 'Vary', 'Origin']
}

/** Further headers of the answer to a preflight. @param methods that such pages may use on the path */
export function preflight(methods: readonly Method[]): string[] {
  return [
    ...['Access-Control-Allow-Methods', methods.join(', '), 'Access-Control-Allow-Headers', REQUEST_HEADERS],
    ...['Access-Control-Max-Age', String(PREFLIGHT_SECONDS)],
  ]
}
