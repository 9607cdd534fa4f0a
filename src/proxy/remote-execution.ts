import { trimEndOf } from '../model/trim.js'

/** What of a request for a backend tells whether something would be executed there. */
export interface RemoteRequest {
  method: string
  /** Below the backend's base address, as `proxyPath` gives it. */
  path: string
  /** The backend's executor token comes with it. */
  showsToken: boolean
}

/** Whether a backend would execute something: for `unless played` its body says, as it does of a new run. */
export type RemoteExecution = 'none' | 'certain' | 'unless played'

const ESCAPES = /(?:%[0-9a-f]{2})+/gi
/** Of a path in lower case, without escapes and slashes at its end. */
const EXECUTES = /^\/api\/(?:executor\/.+|runs\/[^/]*\/cancel)$/s
const STARTS_RUN = /^\/api\/cards\/[^/]*\/runs$/

/**
 * The whole text of a body that starts nothing. One member, plainly spelled: of a second one, or of another spelling,
 * two readers of JSON may make two things.
 */
const PLAYED = /^[ \t\r\n]*\{[ \t\r\n]*"mode"[ \t\r\n]*:[ \t\r\n]*"(?:dry_run|mock)"[ \t\r\n]*\}[ \t\r\n]*$/

/**
 * Whether a request is for something that needs the executor's token, besides the login, with a board. The path is
 * looked at as the most lenient server would read it.
 *
 * Source: decisions on security, section 5; decisions on the board, section 8; docs/decisions/0016.
 */
export function toRemoteExecution({ method, path, showsToken }: RemoteRequest): RemoteExecution {
  if (showsToken) return 'certain'
  if (method !== 'POST') return 'none'
  const plain = toPlainPath(path)
  if (EXECUTES.test(plain)) return 'certain'
  return STARTS_RUN.test(plain) ? 'unless played' : 'none'
}

/** Whether the body of a new run says that nothing is to be started. */
export function isPlayed(body: Buffer): boolean {
  return PLAYED.test(body.toString('latin1'))
}

function toPlainPath(path: string): string {
  const [before = ''] = path.split('?', 1)
  const segments = before.replace(ESCAPES, decode).toLowerCase().split('/')
  return trimEndOf(segments.map(withoutTail).join('/'), '/')
}

/** Without what some servers cut off before they look at a segment: parameters, blanks, an escaped query. */
function withoutTail(segment: string): string {
  return segment.replace(/[\s;?#].*/s, '')
}

/** As they are where they are no UTF-8. */
function decode(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch (error) {
    if (error instanceof URIError) return escapes
    throw error
  }
}
