import { isHost } from '../../login/origins.js'
import { AppError } from '../../model/app-error.js'
import type { HttpRequest } from '../http/route.js'

export const HEADER_LIMITS = {
  lines: 100,
  /** Name and value together. Node limits all lines together, with the request line, to 16 KiB. */
  lineBytes: 8 * 1024,
} as const
/** A browser sends every cookie of the host name, including those of other programs. */
const UNBOUNDED_LINE = 'cookie'

/**
 * Refuses a malformed or ambiguous request before any of it is used: a target that is not a path, a `Host` that no browser
 * would send, more or longer header lines than a program needs, a body with another transfer coding than chunks, a second
 * line of a header that identifies the caller or proves a delivery. (Node keeps the first `Host` and `Authorization` and
 * joins the others, so only the raw lines show repeats.)
 *
 * @throws AppError `invalid/bad_request`, `invalid/duplicate_header`, `invalid/bad_host`,
 *   `headers_too_large/headers_too_large`
 */
export function checkRequestForm(req: HttpRequest): void {
  if (req.url.charCodeAt(0) !== 47) {
    throw new AppError('invalid', 'bad_request', 'The request target is not a path. Send one that begins with "/".')
  }
  checkHeaderLines(req.rawHeaders)
  const coding = req.headers['transfer-encoding']
  // Node undoes the chunks only. A body with another coding would be read, or sent to a backend, as if it had none.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new AppError('invalid', 'bad_request', 'Transfer-Encoding must be chunked, without another coding.')
  }
  if (req.local) return
  const host = req.headers.host
  if (host === undefined && req.httpVersion === '1.0') return
  if (host === undefined || !isHost(host)) {
    throw new AppError(
      'invalid',
      'bad_host',
      'The Host header is missing or malformed. Send a name, a colon and a port.',
    )
  }
}

/** A bit for each header that may occur only once. */
const ONCE = new Map(
  [
    'host',
    'origin',
    'authorization',
    'content-type',
    'last-event-id',
    'x-board-token',
    'x-board-executor-token',
    'x-board-backend-executor-token',
    'x-csrf-token',
    'x-event-admin-token',
    // These prove a platform's delivery.
    'x-hub-signature',
    'x-hub-signature-256',
    'x-forgejo-signature',
    'x-gitea-signature',
    'x-gogs-signature',
    'x-discourse-event-signature',
    'x-gitlab-token',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ].map((name, index) => [name, 1 << index]),
)
const ONCE_LENGTHS = new Set([...ONCE.keys()].map(name => name.length))

/** @param rawHeaders names and values in turn, one byte a character */
function checkHeaderLines(rawHeaders: readonly string[]): void {
  if (rawHeaders.length > 2 * HEADER_LIMITS.lines) {
    throw headersTooLarge(`There are more than ${HEADER_LIMITS.lines} header lines. Send fewer.`)
  }
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const bytes = name.length + (rawHeaders[i + 1] ?? '').length
    if (bytes > HEADER_LIMITS.lineBytes && name.toLowerCase() !== UNBOUNDED_LINE) {
      throw headersTooLarge(`A header line is larger than ${HEADER_LIMITS.lineBytes / 1024} KiB. Send less in it.`)
    }
    if (!ONCE_LENGTHS.has(name.length)) continue
    const bit = ONCE.get(name.toLowerCase()) ?? 0
    if (seen & bit) {
      throw new AppError(
        'invalid',
        'duplicate_header',
        `The header ${name.toLowerCase()} was sent twice. Send it once.`,
      )
    }
    seen |= bit
  }
}

function headersTooLarge(detail: string): AppError {
  return new AppError('headers_too_large', 'headers_too_large', detail)
}
