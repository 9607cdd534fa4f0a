import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { trimOf } from '../model/trim.js'
import type { BackendProfile } from './backend-profile.js'
import type { Backend } from './backends.js'
import { GatewayFailure } from './gateway-failure.js'
import { isBackendPath } from './proxy-path.js'

/**
 * What a backend gets to know of a request. `if-match` is ours: without it nobody could change a card of another board
 * that asks for the version.
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
  'range',
  'last-event-id',
  'x-request-id',
] as const

/** What a caller gets to know of an answer, as it is to be spelled. Source: as above. */
const FROM_BACKEND = [
  ['content-type', 'Content-Type'],
  ['etag', 'ETag'],
  ['last-modified', 'Last-Modified'],
  ['content-range', 'Content-Range'],
  ['retry-after', 'Retry-After'],
] as const

/** What a browser may show as it is; the rest is a file to be saved. */
const SHOWN_TYPES = new Set(['application/json', 'text/event-stream', 'text/plain'])
const EVENT_STREAM = 'text/event-stream'

/** The statuses that have no body. Source: RFC 9110, sections 15.3.5 and 15.4.5. */
const BODILESS: readonly number[] = [204, 304]

/** How the body of a request is framed: not at all, by its length in bytes, or in chunks. */
export type BodyFraming = 'none' | 'chunked' | number

/**
 * The headers of a request to a backend. Nothing comes along that is not on the list; what says who we are is set after
 * it, so that nothing a caller sends (`Connection: authorization`) can take it away.
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
  // Named once more, as an absent one means "any", and an encoded answer could not be said to be one.
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
export interface BackendAnswer {
  status: number
  headers: IncomingHttpHeaders
}

/** As it is passed on. */
export interface PassedAnswer {
  status: number
  /** Names and values in turn. They are to follow those that every answer of ours has. */
  headers: string[]
  hasBody: boolean
  isEventStream: boolean
}

export interface AnsweredRequest {
  method: string
  /** As it was sent to the backend. */
  path: string
  profile: BackendProfile
  /** Under which the backend's `/api/` stands with us: `/api/backends/<profile>`, behind our root path. */
  ownPrefix: string
}

/** @throws GatewayFailure `bad_gateway` for what cannot be passed on */
export function toPassedAnswer({ status, headers }: BackendAnswer, request: AnsweredRequest): PassedAnswer {
  if (status < 200 || status > 599) throw new GatewayFailure('bad_gateway', 'unusable status')
  // Nobody asked for it, and who is told only the type would take the bytes for something else.
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
  if (!SHOWN_TYPES.has(type)) passed.push('Content-Disposition', 'attachment')
  if (headers.location !== undefined) passed.push('Location', toOwnLocation(headers.location, request))
  return {
    status,
    headers: passed,
    hasBody: !isBodiless && request.method !== 'HEAD',
    isEventStream: type === EVENT_STREAM,
  }
}

/** Where the backend sends a caller, seen from here. Nobody is sent anywhere else. */
function toOwnLocation(location: string, { path, profile, ownPrefix }: AnsweredRequest): string {
  const { pathPrefix, url } = profile
  const base = new URL(url).origin
  // Resolved as a browser would, and only the result is ever used.
  const asked = `${base}${pathPrefix}${path}`
  const target = URL.canParse(location, asked) ? new URL(location, asked) : undefined
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
