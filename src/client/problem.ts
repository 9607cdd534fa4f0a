import type { HttpAnswer } from '../http/exchange.js'
import { AppError, type ErrorCategory, type FieldProblem } from '../model/app-error.js'
import { isObject } from '../model/json-object.js'
import { type Answer, BOARD, LEDGER, type ServerNames } from './answer.js'

const CATEGORIES = new Map<number, ErrorCategory>([
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [410, 'gone'],
  [412, 'outdated'],
  [413, 'too_large'],
  [415, 'unsupported_type'],
  [421, 'misdirected'],
  [429, 'throttled'],
  [431, 'headers_too_large'],
  [500, 'internal'],
])
const CODE = /^[a-z][a-z0-9_]{0,63}$/
const MAX_RETRY_AFTER_SECONDS = 3600

/**
 * Converts a problem response (RFC 9457) to an error: category by status; `code`, `detail` and `errors` as sent. If the
 * server asks for another credential, the hint shows how to give one to a command. Our servers use no other form. Any
 * other response is therefore not from one, unless a proxy sends its status on behalf of a server.
 */
export function toAppError(
  answer: HttpAnswer,
  { names, hintOf }: { names: ServerNames; hintOf: (code: string) => string | undefined },
): AppError {
  const { status, headers, body } = answer
  if (!isProblem(answer) && !isOfProxy(status)) return notADaybookServer(status, names)
  const problem = readProblem(body.toString('utf8'))
  const category = CATEGORIES.get(status) ?? (status >= 500 ? 'unavailable' : 'invalid')
  const code = typeof problem.code === 'string' && CODE.test(problem.code) ? problem.code : `http_${status}`
  const detail = typeof problem.detail === 'string' ? problem.detail : `The server answered with status ${status}.`
  const requestId = typeof problem.request_id === 'string' ? ` (Request ${problem.request_id}.)` : ''
  const errors = Array.isArray(problem.errors) ? problem.errors.filter(isFieldProblem) : []
  const retryAfter = Number(headers['retry-after'])
  const retryAfterSeconds = retryAfter >= 0 ? Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS) : undefined
  const hint = code === `http_${status}` && status >= 502 ? 'Try again later.' : hintOf(code)
  return new AppError(category, code, `${detail}${requestId}`, {
    errors: errors.map(({ field, detail }) => ({ field, detail })),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(typeof problem.next_since === 'string' ? { nextSince: problem.next_since } : {}),
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Something speaks HTTP there, but it is not one of our servers. */
export function notADaybookServer(status: number, { noun, mismatchCode, givenBy }: ServerNames): AppError {
  const detail = `The server answered with status ${status}, but not as a ${noun} does.`
  return new AppError('unavailable', mismatchCode, detail, { hint: `Check ${givenBy}.` })
}

/** Whether a health answer is that of a ledger. Both programs have a version and a database; a board has no head. */
export function isOfLedger(health: unknown): boolean {
  const { database, version } = Object(health)
  return database !== undefined && (version === undefined || 'head' in Object(health))
}

/**
 * The error if the other program answers there, by its health; otherwise undefined. A board is recognised by the version
 * in its health.
 */
export function otherProgram(health: Answer, { noun, mismatchCode, givenBy }: ServerNames): AppError | undefined {
  const value = health.json()
  // The health of a ledger never asks for a login.
  const isBoard = health.status === 401 || (!isOfLedger(value) && typeof Object(value).version === 'string')
  const other = isOfLedger(value) ? LEDGER : isBoard ? BOARD : undefined
  if (other === undefined || other.noun === noun) return undefined
  const hint = `Check ${givenBy}; a ledger listens on port 8765 by default, a board on 8766.`
  // Not `unavailable`: a retry, with which a consumer waits for its ledger, cannot help.
  return new AppError('configuration', mismatchCode, `A ${other.noun} answers there, and not a ${noun}.`, { hint })
}

function isProblem({ headers }: HttpAnswer): boolean {
  return /^application\/problem\+json\b/i.test(headers['content-type'] ?? '')
}

/**
 * Body too large, too many requests, or no server behind the proxy. Above 502, some products use their own statuses.
 */
function isOfProxy(status: number): boolean {
  return status === 413 || status === 429 || status >= 502
}

function readProblem(
  text: string,
): Partial<Record<'code' | 'detail' | 'errors' | 'next_since' | 'request_id', unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    // Probably a proxy's error page; the status is enough.
    return {}
  }
}

function isFieldProblem(value: unknown): value is FieldProblem {
  return isObject(value) && typeof value.field === 'string' && typeof value.detail === 'string'
}
