/**
 * Why there is no answer: the address cannot be reached; the connection broke; the server was silent for too long; the
 * answer is not HTTP, or is larger than allowed.
 */
export type HttpFailureKind = 'unreachable' | 'lost' | 'silent' | 'not_http' | 'too_large'

/** A request that got no answer. The caller decides what to do. */
export class HttpFailure extends Error {
  constructor(
    readonly kind: HttpFailureKind,
    /** A few words: `connection refused`, or the system's code. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${kind}: ${reason}`, options)
    this.name = 'HttpFailure'
  }
}

/**
 * An error of Node.js as a failure; any other error unchanged.
 *
 * @param connected whether the connection was open by then
 */
export function toHttpFailure(error: unknown, connected: boolean): unknown {
  if (error instanceof HttpFailure || !(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) return error
  if (code.startsWith('HPE_')) return new HttpFailure('not_http', code, { cause: error })
  return new HttpFailure(connected ? 'lost' : 'unreachable', REASONS.get(code) ?? code, { cause: error })
}

const REASONS = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'unknown host'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network unreachable'],
  ['ENOENT', 'no such socket'],
])
