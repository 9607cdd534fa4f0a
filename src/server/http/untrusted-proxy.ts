import type { Logger } from 'pino'
import { AppError, isRefusal } from '../../model/app-error.js'
import type { RequestOutcome } from './router.js'

interface UntrustedProxyParts {
  /** From `createThrottleAddress`. */
  throttleAddress: (remoteAddress: string | undefined, forwardedFor: string | undefined) => string
  /** The setting that lists the trusted proxies. */
  setting: string
  logger: Logger
}

const MOST_PEERS = 100
/** Enough to distinguish values. */
const COMPARED_CHARACTERS = 200

/**
 * Watches refused requests, and logs once if throttled callers seem to share a proxy that is not trusted: the throttle
 * counts them all for the proxy's address. The evidence is two different `X-Forwarded-For` headers from one address that
 * is not trusted. Nothing else depends on these headers.
 *
 * @returns a function to call with every answered request
 *
 * Source: docs/decisions/0023.
 */
export function createProxyWatch({ throttleAddress, setting, logger }: UntrustedProxyParts) {
  const peers = new Map<string, { named: string; isShared: boolean }>()
  let isLogged = false

  return ({ req, error }: Pick<RequestOutcome, 'req' | 'error'>): void => {
    if (isLogged || req.local || !isRefusal(error)) return
    const header = req.headers['x-forwarded-for']
    if (header === undefined) return
    const named = String(header)
    const { remoteAddress } = req.socket
    const address = throttleAddress(remoteAddress, undefined)
    if (throttleAddress(remoteAddress, named) !== address) return
    const shown = named.slice(0, COMPARED_CHARACTERS)
    const peer = peers.get(address) ?? { named: shown, isShared: false }
    peer.isShared ||= peer.named !== shown
    if (peers.size === MOST_PEERS) peers.clear()
    peers.set(address, peer)
    if (!peer.isShared || !(error instanceof AppError) || error.category !== 'throttled') return
    isLogged = true
    logger.warn(
      { address },
      `Failed logins and wrong keys are throttled for all callers at this address together. It sends X-Forwarded-For but is not trusted: if it is your proxy, list it in ${setting}.`,
    )
  }
}
