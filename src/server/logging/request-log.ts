import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import type { CallerAddress } from '../http/caller-address.js'
import type { RequestOutcome } from '../http/router.js'

const MAX_PATH = 200

/** What one program's log says besides. */
export interface LogRules<Rule extends string, Who> {
  /** What is done on such routes is to be found in every log. */
  notable: ReadonlySet<Rule>
  /** Members for the log that say who it was. */
  who: (identity: Who) => object
  /** Where a request came from. */
  address: CallerAddress
}

/**
 * One line a request: what was answered well at `debug` (a login, a logout, changes of accounts and real runs at `info`),
 * refusals at `info`, failures of ours at `error` (too much work at once at `warn`), also those that came when part of an
 * answer was out: with their stack where it is a defect, with a sentence where it was expected. Never a query string:
 * people put secrets there. Nor the name that a failed login gave: people put their password there.
 */
export function logRequest<Rule extends string, Who>(
  logger: Logger,
  { notable, who, address }: LogRules<Rule, Who>,
  { req, res, access, error }: RequestOutcome<Rule, Who>,
): void {
  const { statusCode: status } = res
  const failed = status >= 500 || (status < 400 && error !== undefined)
  const isNotable =
    status >= 400 ||
    req.isNotable === true ||
    req.cutOff !== undefined ||
    (access !== undefined && notable.has(access) && req.method !== 'GET')
  const isBusy = error instanceof AppError && error.code === 'busy'
  const level = req.isShed ? 'debug' : failed ? (isBusy ? 'warn' : 'error') : isNotable ? 'info' : 'debug'
  if (!logger.isLevelEnabled(level)) return
  logger[level](
    {
      request_id: req.requestId,
      method: req.method,
      path: cleaned(req.url),
      status,
      ms: Math.round((performance.now() - req.receivedAt) * 10) / 10,
      address: req.local ? 'owner socket' : address(req),
      ...who(req.identity),
      ...(error instanceof AppError ? { code: error.code } : {}),
      ...(req.cutOff ? { cut_off: req.cutOff } : {}),
      ...req.logged,
      ...(failed ? failure(error) : {}),
    },
    'request',
  )
}

/** A full disk is expected, and there may be a thousand such lines; what nobody expected shows where it happened. */
function failure(error: unknown): object {
  if (!(error instanceof AppError) || error.category === 'internal') return { err: error }
  const reason = error.cause instanceof Error ? { reason: error.cause.message } : {}
  return { detail: error.message, ...reason }
}

/** The path as sent, without its query and without anything that could steer a terminal. */
function cleaned(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path
    .replace(/[^\x21-\x7e]/g, '?')
    .replace(/tok_[A-Za-z0-9_-]+/g, 'tok_…')
    .slice(0, MAX_PATH)
}
