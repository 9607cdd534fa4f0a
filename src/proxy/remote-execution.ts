import { trimEndOf } from '../model/trim.js'

/** The parts of a request for a backend that decide whether it executes something there. */
interface RemoteRequest {
  method: string
  /** Below the backend's base address, as `proxyPath` gives it. */
  path: string
  /** It has the backend's executor token. */
  showsToken: boolean
}

/** Whether a backend would execute something; for `by body` the body decides, as for a new run. */
export type RemoteExecution = 'none' | 'certain' | 'by body'

const ESCAPES = /(?:%[0-9a-f]{2})+/gi
/** Paths that execute; matched in lower case, without escapes and trailing slashes. */
const EXECUTES = /^\/api\/(?:executor\/.+|runs\/[^/]*\/cancel)$/s
/** That backend may be a board too, which forwards to a backend of its own. */
const NESTED = /^(?:\/api\/backends\/[^/]*)+/
const STARTS_RUN = /^\/api\/cards\/[^/]*\/runs$/

/**
 * The complete text of a body that starts nothing: exactly one member, without escapes. JSON parsers may disagree about
 * a second member or another spelling.
 */
const STARTS_NOTHING = /^[ \t\r\n]*\{[ \t\r\n]*"mode"[ \t\r\n]*:[ \t\r\n]*"(?:dry_run|mock)"[ \t\r\n]*\}[ \t\r\n]*$/

/**
 * Whether a board would require the executor's token for a request, in addition to the login. The path is interpreted as
 * the most lenient server would read it.
 *
 * Source: decisions on security, section 5; decisions on the board, section 8; docs/decisions/0016.
 */
export function toRemoteExecution({ method, path, showsToken }: RemoteRequest): RemoteExecution {
  if (showsToken) return 'certain'
  if (method !== 'POST') return 'none'
  const plain = toPlainPath(path).replace(NESTED, '')
  if (EXECUTES.test(plain)) return 'certain'
  return STARTS_RUN.test(plain) ? 'by body' : 'none'
}

/** Whether the body of a new run is for a mode that starts nothing. */
export function startsNothing(body: Buffer): boolean {
  return STARTS_NOTHING.test(body.toString('latin1'))
}

function toPlainPath(path: string): string {
  const [before = ''] = path.split('?', 1)
  const segments = before.replace(ESCAPES, decode).toLowerCase().split('/')
  return trimEndOf(segments.map(withoutTail).join('/'), '/')
}

/** Without the parts that some servers cut off a segment: parameters, blanks, an escaped query. */
function withoutTail(segment: string): string {
  return segment.replace(/[\s;?#].*/s, '')
}

/** Unchanged if they are not UTF-8. */
function decode(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch (error) {
    if (error instanceof URIError) return escapes
    throw error
  }
}
