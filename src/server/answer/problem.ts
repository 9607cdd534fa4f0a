import { STATUS_CODES } from 'node:http'
import { AppError, type ErrorCategory, type FieldProblem } from '../../model/app-error.js'
import type { Reply } from '../http/route.js'

export const HTTP_STATUS: Record<ErrorCategory, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  outdated: 412,
  too_large: 413,
  unsupported_type: 415,
  misdirected: 421,
  throttled: 429,
  headers_too_large: 431,
  unavailable: 503,
  configuration: 500,
  internal: 500,
}

/** `Retry-After` of refusals that set no time. */
const DEFAULT_RETRY_AFTER_SECONDS = 5

export interface Problem {
  status: number
  code: string
  detail: string
  errors?: readonly FieldProblem[]
  nextSince?: string | undefined
  requestId?: string
}

/** An answer of `application/problem+json`. Source: RFC 9457; the members after `status` are ours, except `detail`. */
export function problemReply(problem: Problem, headers: readonly string[] = []): Reply {
  const { status, code, detail, errors, nextSince, requestId } = problem
  return {
    status,
    type: 'application/problem+json',
    headers,
    body: JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code,
      detail,
      ...(errors?.length ? { errors } : {}),
      ...(nextSince === undefined ? {} : { next_since: nextSince }),
      ...(requestId ? { request_id: requestId } : {}),
    }),
  }
}

/**
 * The answer to a failure. An expected one explains itself; a defect, and a failure that only the operator can repair, shows
 * only its request id.
 *
 * @param challenge `WWW-Authenticate` for a caller without a login. Source: RFC 9110
 */
export function toProblemReply(error: unknown, requestId: string, challenge = 'Bearer'): Reply {
  const status = error instanceof AppError ? HTTP_STATUS[error.category] : 500
  if (!(error instanceof AppError) || status === 500) {
    const detail = 'The server failed. Its log has the details under this request id.'
    return problemReply({ status: 500, code: 'internal', detail, requestId })
  }
  const problem: Problem = {
    status,
    code: error.code,
    detail: error.message,
    errors: error.errors,
    nextSince: error.nextSince,
  }
  if (status > 500) problem.requestId = requestId
  return problemReply(problem, problemHeaders(status, error.retryAfterSeconds, error.challenge ?? challenge))
}

function problemHeaders(status: number, retryAfterSeconds: number | undefined, challenge: string): string[] {
  if (status === 401) return ['WWW-Authenticate', challenge]
  if (status === 429 || status === 503) {
    return ['Retry-After', String(Math.ceil(retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS))]
  }
  return []
}
