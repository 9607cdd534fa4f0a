/**
 * A backend gave no usable answer, or none in time.
 *
 * Source: decisions on the board, section 8: unreachable 502, timeout 504.
 */
export class GatewayFailure extends Error {
  constructor(
    readonly code: 'bad_gateway' | 'gateway_timeout',
    /** For the log: the system's error code, or a few words. Never an address, and nothing that the backend sent. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${reason}`, options)
    this.name = 'GatewayFailure'
  }
}

/** The error of a request to a backend as a `GatewayFailure`. */
export function toGatewayFailure(error: Error): GatewayFailure {
  if (error instanceof GatewayFailure) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return new GatewayFailure('bad_gateway', code, { cause: error })
}
