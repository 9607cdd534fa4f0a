import type { HttpAnswer } from '../http/exchange.js'
import { AppError, type ErrorCategory, type FieldProblem } from '../model/app-error.js'

const CATEGORIES = new Map<number, ErrorCategory>([
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [413, 'too_large'],
  [415, 'unsupported_type'],
  [429, 'throttled'],
  [500, 'internal'],
])
const CODE = /^[a-z][a-z0-9_]{0,63}$/
const MAX_RETRY_AFTER_SECONDS = 3600

/**
 * Makes an error of a problem answer (RFC 9457): category by status, `code`, `detail` and `errors` as sent. Whatever
 * else may stand in front of a ledger, and answer in a form of its own, is understood as far as it goes.
 */
export function toAppError({ status, headers, body }: HttpAnswer): AppError {
  const problem = readProblem(body.toString('utf8'))
  const category = CATEGORIES.get(status) ?? (status >= 500 ? 'unavailable' : 'invalid')
  const code = typeof problem.code === 'string' && CODE.test(problem.code) ? problem.code : `http_${status}`
  const detail = typeof problem.detail === 'string' ? problem.detail : `The server answered with status ${status}.`
  const requestId = typeof problem.request_id === 'string' ? ` (Request ${problem.request_id}.)` : ''
  const errors = Array.isArray(problem.errors) ? problem.errors.filter(isFieldProblem) : []
  const retryAfter = Number(headers['retry-after'])
  const retryAfterSeconds = retryAfter >= 0 ? Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS) : undefined
  return new AppError(category, code, `${detail}${requestId}`, {
    errors: errors.map(({ field, detail }) => ({ field, detail })),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function readProblem(text: string): Partial<Record<'code' | 'detail' | 'errors' | 'request_id', unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // A page of some proxy. Its status says enough.
    return {}
  }
}

function isFieldProblem(value: unknown): value is FieldProblem {
  if (typeof value !== 'object' || value === null) return false
  return 'field' in value && typeof value.field === 'string' && 'detail' in value && typeof value.detail === 'string'
}
