import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import type { CallerAddress } from '../http/request-address.js'
import type { RequestOutcome } from '../http/router.js'
import { readTrace } from './request-trace.js'

const MAX_PATH = 200

/** The parts of a request's log line that differ between the two programs. */
export interface LogRules<Rule extends string, Who> {
  /** Actions on routes with these rules are logged at `info`. */
  notable: ReadonlySet<Rule>
  /** Log members that identify the caller. */
  who: (identity: Who) => object
  /** The sender's address. */
  address: CallerAddress
  /** An access log: successes are logged at `info` as well. */
  logsAll: boolean
}

/**
 * One line a request: successes at `debug` (logins, logouts, changes of accounts and real runs at `info`; all of them
 * with an access log), refusals at `info`, failures of the server at `error` (overload at `warn`), including those
 * after part of an answer was sent; defects with their stack, expected failures with a sentence. Never contains a query
 * string, because people put secrets there, nor the name of a failed login, because people type their password there.
 */
export function logRequest<Rule extends string, Who>(
  logger: Logger,
  { notable, who, address, logsAll }: LogRules<Rule, Who>,
  { req, res, access, error }: RequestOutcome<Rule, Who>,
): void {
  const { statusCode: status } = res
  // A reader that leaves ends its answer: nothing has failed.
  const hasFailed = error !== undefined && !(error instanceof Error && error.name === 'AbortError')
  const failed = status >= 500 || (status < 400 && hasFailed)
  const isNotable =
    logsAll ||
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
      ...readTrace(req.headers),
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

/** A full disk is an expected failure, and can cause a thousand lines; an unexpected error is logged with its stack. */
function failure(error: unknown): object {
  if (!(error instanceof AppError) || error.category === 'internal') return { err: error }
  const reason = error.operatorDetail ?? (error.cause instanceof Error ? error.cause.message : undefined)
  return { detail: error.message, ...(reason === undefined ? {} : { reason }) }
}

/** The path as sent, without its query, and without characters that could control a terminal. */
function cleaned(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path
    .replace(/[^\x21-\x7e]/g, '?')
    .replace(/tok_[A-Za-z0-9_-]+/g, 'tok_…')
    .slice(0, MAX_PATH)
}
