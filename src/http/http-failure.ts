/**
 * Why there is no answer: the address cannot be reached; the server's certificate is not trusted; the connection broke;
 * the server was silent for too long; the answer is not HTTP, or is larger than allowed.
 */
export type HttpFailureKind = 'unreachable' | 'untrusted' | 'lost' | 'silent' | 'not_http' | 'too_large'

/** A request that got no answer. The caller decides what to do. */
export class HttpFailure extends Error {
  /** What to do about a certificate that is not trusted: a sentence. Otherwise empty. */
  readonly advice: string

  constructor(
    readonly kind: HttpFailureKind,
    /** A few words: `connection refused`, or the system's code. */
    readonly reason: string,
    { advice = '', ...options }: ErrorOptions & { advice?: string } = {},
  ) {
    super(`${kind}: ${reason}`, options)
    this.name = 'HttpFailure'
    this.advice = advice
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
  const untrusted = CERTIFICATES.get(code)
  if (untrusted) return new HttpFailure('untrusted', untrusted.reason, { cause: error, advice: untrusted.advice })
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
  ['EPROTO', 'the TLS handshake failed'],
])

const UNKNOWN_ISSUER = {
  reason: 'the issuer of its certificate is not known',
  advice:
    'If you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of the issuer, and start Daybook again.',
}

/** Source: Node.js, "X509 certificate error codes", and `ERR_TLS_CERT_ALTNAME_INVALID`. */
const CERTIFICATES: ReadonlyMap<string, { reason: string; advice: string }> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_ISSUER],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_ISSUER],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_ISSUER],
  ['CERT_HAS_EXPIRED', { reason: 'its certificate has expired', advice: 'Its operator has to renew it.' }],
  [
    'CERT_NOT_YET_VALID',
    { reason: 'its certificate is not valid yet', advice: 'Compare the clocks of both machines.' },
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    { reason: 'its certificate is for another name', advice: 'Use the name in the certificate.' },
  ],
])
