import type { Logger } from 'pino'
import { AppError } from '../model/app-error.js'
import type { RequestOutcome } from './router.js'

const MAX_PATH = 200

/**
 * One line a request: what was answered well at `debug`, refusals at `info`, failures of ours at `error` with their
 * stack, also those that came when part of an answer was out. Never a query string: people put secrets there.
 */
export function logRequest(logger: Logger, { req, res, error }: RequestOutcome): void {
  const { statusCode: status } = res
  const failed = status >= 500 || (status < 400 && error !== undefined)
  const level = failed ? 'error' : status >= 400 ? 'info' : 'debug'
  if (!logger.isLevelEnabled(level)) return
  logger[level](
    {
      request_id: req.requestId,
      method: req.method,
      path: cleaned(req.url),
      status,
      ms: Math.round((performance.now() - req.receivedAt) * 10) / 10,
      address: req.local ? 'owner socket' : req.socket.remoteAddress,
      ...(error instanceof AppError ? { code: error.code } : {}),
      ...req.logged,
      ...(failed ? { err: error } : {}),
    },
    'request',
  )
}

/** The path as sent, without its query and without anything that could steer a terminal. */
function cleaned(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.replace(/[^\x21-\x7e]/g, '?').slice(0, MAX_PATH)
}
