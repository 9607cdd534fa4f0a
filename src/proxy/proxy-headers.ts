import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { parseUrl } from '../model/parse-url.js'
import { trimOf } from '../model/trim.js'
import type { BackendProfile } from './backend-profile.js'
import type { Backend } from './backends.js'
import { GatewayFailure } from './gateway-failure.js'
import { isBackendPath } from './proxy-path.js'

/**
 * The headers of a request that are sent to a backend. We added the other three conditions: a change that loses its condition
 * overwrites what it should not, and without `if-range`, `range` can join parts of two versions.
 *
 * Source: decisions on security, section 5.
 */
const TO_BACKEND = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'range',
  'if-range',
  'last-event-id',
  'x-request-id',
] as const

/** The headers of an answer that are passed to the caller, and their spelling. Source: as above. */
const FROM_BACKEND = [
  ['content-type', 'Content-Type'],
  ['etag', 'ETag'],
  ['last-modified', 'Last-Modified'],
  ['content-range', 'Content-Range'],
  ['retry-after', 'Retry-After'],
] as const

/** Types that a browser may show; the others become a download. */
const SHOWN_TYPES = new Set(['application/json', 'text/event-stream', 'text/plain'])
const EVENT_STREAM = 'text/event-stream'

/** The statuses that have no body. Source: RFC 9110, sections 15.3.5 and 15.4.5. */
const BODILESS: readonly number[] = [204, 304]

/** How the body of a request is framed: not at all, by its length in bytes, or in chunks. */
export type BodyFraming = 'none' | 'chunked' | number

/**
 * The headers of a request to a backend: only those on the list. Our credentials are set after it, so that no header of
 * the caller (`Connection: authorization`) can remove them.
 */
export function toBackendHeaders(
  sent: IncomingHttpHeaders,
  { profile, key }: Backend,
  body: BodyFraming,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  for (const name of TO_BACKEND) {
    if (typeof sent[name] === 'string') headers[name] = sent[name]
  }
  // Explicit, because an absent header means "any encoding", and `content-encoding` is not passed on.
  headers['accept-encoding'] = 'identity'
  headers.host = profile.authority
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  const executorToken = sent['x-board-backend-executor-token']
  if (typeof executorToken === 'string' && executorToken !== '') headers['x-board-executor-token'] = executorToken
  if (body === 'chunked') headers['transfer-encoding'] = 'chunked'
  else if (body !== 'none') headers['content-length'] = body
  return headers
}

/** The head of a backend's answer. */
interface BackendAnswer {
  status: number
  headers: IncomingHttpHeaders
}

/** The head of an answer as it is passed on. */
export interface PassedAnswer {
  status: number
  /** Names and values in turn, to follow those that all our answers have. */
  headers: string[]
  hasBody: boolean
  isEventStream: boolean
}

interface AnsweredRequest {
  method: string
  /** As sent to the backend. */
  path: string
  profile: BackendProfile
  /** Our path for the backend's `/api/`: `/api/backends/<profile>`, behind our root path. */
  ownPrefix: string
}

/** @throws GatewayFailure `bad_gateway` for an answer that cannot be passed on */
export function toPassedAnswer({ status, headers }: BackendAnswer, request: AnsweredRequest): PassedAnswer {
  if (status < 200 || status > 599) throw new GatewayFailure('bad_gateway', 'unusable status')
  // An encoding was not requested, and a caller that receives only the type would misread the bytes.
  if (isEncoded(headers['content-encoding']) || isEncoded(headers['transfer-encoding'], 'chunked')) {
    throw new GatewayFailure('bad_gateway', 'encoded answer')
  }
  const isBodiless = BODILESS.includes(status)
  const passed: string[] = ['Cache-Control', headers['cache-control'] ?? 'no-store']
  for (const [name, spelled] of FROM_BACKEND) {
    const value = headers[name]
    if (typeof value === 'string') passed.push(spelled, value)
  }
  const length = headers['content-length']
  if (length !== undefined && !isBodiless) passed.push('Content-Length', length)
  const type = mediaType(headers['content-type'])
  // A 304 has no type, and browsers add its headers to those that they have stored.
  if (!isBodiless && !SHOWN_TYPES.has(type)) passed.push('Content-Disposition', 'attachment')
  if (headers.location !== undefined) passed.push('Location', toOwnLocation(headers.location, request))
  return {
    status,
    headers: passed,
    hasBody: !isBodiless && request.method !== 'HEAD',
    isEventStream: type === EVENT_STREAM,
  }
}

/** The target of a backend's redirect below our own path. Redirects to other places are refused. */
function toOwnLocation(location: string, { path, profile, ownPrefix }: AnsweredRequest): string {
  const { pathPrefix, url } = profile
  const base = new URL(url).origin
  // Resolved as a browser would; only the result is used.
  const asked = `${base}${pathPrefix}${path}`
  const target = parseUrl(location, asked)
  const below = target?.origin === base ? withoutPrefix(target.pathname + target.search, pathPrefix) : undefined
  if (below === undefined || !isBackendPath(below)) throw new GatewayFailure('bad_gateway', 'redirect elsewhere')
  return ownPrefix + below
}

function withoutPrefix(path: string, prefix: string): string | undefined {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined
}

function isEncoded(value: string | undefined, harmless = 'identity'): boolean {
  return value !== undefined && value.toLowerCase() !== harmless
}

function mediaType(contentType: string | undefined): string {
  const [type = ''] = (contentType ?? '').split(';', 1)
  return trimOf(type, ' \t').toLowerCase()
}
