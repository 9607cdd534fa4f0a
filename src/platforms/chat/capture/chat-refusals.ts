import type { HttpAnswer } from '../../../http/exchange.js'
import type { HttpFailure, HttpFailureKind } from '../../../http/http-failure.js'
import { AppError } from '../../../model/app-error.js'
import { retryAfterOf } from '../../api/platform-wait.js'
import { memberOf, type Payload, textAt } from '../../mapping/payload.js'

/** Used if the server asks for a wait without a duration. */
const DEFAULT_WAIT_SECONDS = 1
const MAX_WAIT_SECONDS = 24 * 3600

const CHECK_ADDRESS = 'Check --chat-url or EVENT_CHAT_URL.'
const CHECK_ACCOUNT = 'Check EVENT_CHAT_EMAIL and EVENT_CHAT_API_KEY.'

/** The platform's codes for a refused account. Older servers send some of them with 400. */
const CREDENTIAL_CODES = ['INVALID_API_KEY', 'UNAUTHORIZED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']

/** The error for a chat server that did not respond. */
export function toChatFailure(cause: HttpFailure, site: string): AppError {
  return FAILURES[cause.kind](site, cause)
}

const FAILURES: Record<HttpFailureKind, (site: string, cause: HttpFailure) => AppError> = {
  unreachable: (site, { reason, cause }) =>
    failure('chat_unreachable', `No chat server answers at ${site} (${reason}). ${CHECK_ADDRESS}`, cause),
  untrusted: (site, { reason, advice, cause }) =>
    failure('chat_unreachable', `The chat server ${site} cannot be used: ${reason}. ${advice}`, cause),
  lost: (site, { reason, cause }) =>
    failure('chat_connection_lost', `The connection to ${site} broke (${reason}). Try again later.`, cause),
  silent: (site, { reason }) =>
    failure('chat_timeout', `The chat server ${site} did not answer in ${reason}. Try again later.`),
  not_http: (site, { cause }) =>
    failure('chat_answer_unreadable', `${site} does not speak HTTP. ${CHECK_ADDRESS}`, cause),
  too_large: (site, { reason }) =>
    failure('chat_answer_unreadable', `The chat server ${site} answers with more than ${reason}.`),
}

/** The error for a refusal. The server's text is translated, so only codes are used. */
export function toChatRefusal(answer: HttpAnswer, body: Payload | undefined, site: string): AppError {
  const { status } = answer
  const code = codeOf(body)
  if (status === 429 || code === 'RATE_LIMIT_HIT') return rateLimited(answer, body, site)
  if (status === 401 || (code !== undefined && CREDENTIAL_CODES.includes(code))) {
    const message = `The chat server ${site} does not accept the account${inBrackets(code)}. ${CHECK_ACCOUNT}`
    return new AppError('unauthenticated', 'chat_credentials_refused', message)
  }
  if (code === 'BAD_NARROW') {
    const message = `The chat server ${site} has no such stream or topic, or does not show it to this account.`
    const hint = 'Check the target of the subscription, and subscribe the account to the stream.'
    return new AppError('invalid', 'chat_narrow_refused', message, { hint })
  }
  if (code === 'BAD_EVENT_QUEUE_ID') {
    return failure('chat_queue_lost', `The chat server ${site} no longer has the event queue.`)
  }
  if (code === 'REQUEST_TIMEOUT') {
    return failure('chat_timeout', `The chat server ${site} took too long to answer. Try again later.`)
  }
  if (status >= 500) {
    return failure('chat_unavailable', `The chat server ${site} answers with status ${status}. Try again later.`)
  }
  if (status >= 300 && status < 400) {
    const message = `${site} redirects (status ${status}), and the key is not sent to another address. ${CHECK_ADDRESS}`
    return failure('chat_answer_unreadable', message)
  }
  if (status < 300) {
    const message = `${site} does not answer like a chat server (status ${status}). ${CHECK_ADDRESS}`
    return failure('chat_answer_unreadable', message)
  }
  const message = `The chat server ${site} refuses the request with status ${status}${inBrackets(code)}.`
  if (status !== 403) return new AppError('invalid', 'chat_request_refused', message, { hint: CHECK_ADDRESS })
  return new AppError('forbidden', 'chat_not_permitted', message, { hint: 'Check what the account may see.' })
}

/** Servers before version 5 do not show which part they refuse. */
export function isRefusedNarrow(error: unknown): boolean {
  return error instanceof AppError && ['chat_narrow_refused', 'chat_request_refused'].includes(error.code)
}

/** A short code. Any other text is not shown. */
function codeOf(body: Payload | undefined): string | undefined {
  const code = textAt(body, 'code')
  return code !== undefined && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}

/** The body has fractions of a second, the header whole ones, or an instant if a proxy sends it. */
function rateLimited({ headers }: HttpAnswer, body: Payload | undefined, site: string): AppError {
  const sentAt = Date.parse(headers.date ?? '')
  const inHeader = retryAfterOf(headers, Number.isNaN(sentAt) ? Date.now() : sentAt)
  const seconds = readSeconds(memberOf(body, 'retry-after')) ?? inHeader
  const message = `The chat server ${site} limits the rate of requests. Try again later.`
  return new AppError('unavailable', 'chat_rate_limited', message, {
    retryAfterSeconds: Math.min(Math.max(seconds ?? DEFAULT_WAIT_SECONDS, 0), MAX_WAIT_SECONDS),
  })
}

function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

function inBrackets(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`
}

function failure(code: string, message: string, cause?: unknown): AppError {
  return new AppError('unavailable', code, message, { cause })
}
