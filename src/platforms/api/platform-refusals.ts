import type { HttpFailure, HttpFailureKind } from '../../http/http-failure.js'
import { AppError, type ErrorCategory } from '../../model/app-error.js'

/** The statuses whose meaning depends on the request. 410 counts as 404. */
type Refused = 401 | 403 | 404

/** Sentences of errors, for one use of a platform's API. */
export interface PlatformWords {
  /** A sentence, for errors that a wrong address can cause. */
  checkAddress: string
  /** A sentence: what to do after an outage. */
  again: string
  refused: Readonly<Record<Refused, { category: ErrorCategory; code: string; what: string; hint: string }>>
}

/** The error for a platform that did not answer. */
export function toPlatformFailure(cause: HttpFailure, address: string, words: PlatformWords): AppError {
  return FAILURES[cause.kind](cause, address, words)
}

type ToFailure = (cause: HttpFailure, address: string, words: PlatformWords) => AppError

const FAILURES: Record<HttpFailureKind, ToFailure> = {
  unreachable: (cause, address, { checkAddress }) =>
    failure('platform_unreachable', `${address} cannot be reached (${cause.reason}). ${checkAddress}`, cause),
  untrusted: (cause, address) =>
    failure('platform_unreachable', `${address} cannot be used: ${cause.reason}. ${cause.advice}`, cause),
  lost: (cause, address, { again }) =>
    failure('platform_connection_lost', `The connection to ${address} broke (${cause.reason}). ${again}`, cause),
  silent: (cause, address, { again }) =>
    failure('platform_timeout', `${address} did not answer in ${cause.reason}. ${again}`, cause),
  not_http: (cause, address, { checkAddress }) =>
    failure('platform_answer_unreadable', `${address} does not speak HTTP. ${checkAddress}`, cause),
  too_large: (cause, address) =>
    failure('platform_answer_unreadable', `${address} answers with more than ${cause.reason}.`, cause),
}

function failure(code: string, message: string, cause: HttpFailure): AppError {
  return new AppError('unavailable', code, message, { cause })
}

/** The error for an unsuccessful answer. It omits the platform's text, which may repeat what was sent. */
export function toPlatformRefusal(status: number, address: string, words: PlatformWords): AppError {
  const { checkAddress, again, refused } = words
  const known = status === 410 ? 404 : status
  if (known === 401 || known === 403 || known === 404) {
    const { category, code, what, hint } = refused[known]
    return new AppError(category, code, `${address} ${what} (status ${status}).`, { hint })
  }
  const answers = `${address} answers with status ${status}.`
  if (status >= 500) return new AppError('unavailable', 'platform_unavailable', `${answers} ${again}`)
  if (status >= 300 && status < 400) {
    const message = `${address} answers with a redirect (status ${status}) that is not followed: the token must not leave the configured address.`
    return new AppError('unavailable', 'platform_answer_unreadable', message, {
      hint: `The place may have a new name. ${checkAddress}`,
    })
  }
  return new AppError('invalid', 'platform_request_refused', answers, { hint: checkAddress })
}

export function rateLimited(seconds: number, address: string, { again }: PlatformWords): AppError {
  const message = `${address} accepts no request for ${Math.ceil(seconds)} s. ${again}`
  return new AppError('unavailable', 'platform_rate_limited', message, { retryAfterSeconds: seconds })
}

/** @param how such as `not with JSON` */
export function answerUnreadable(how: string, address: string, { checkAddress }: PlatformWords): AppError {
  return new AppError('unavailable', 'platform_answer_unreadable', `${address} answers ${how}. ${checkAddress}`)
}
