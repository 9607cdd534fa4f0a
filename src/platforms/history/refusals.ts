import type { HttpFailure, HttpTrouble } from '../../http/http-failure.js'
import { AppError } from '../../model/app-error.js'

const CHECK_ADDRESS = 'Check --url or EVENT_HISTORY_URL_….'
const CONTINUE = 'Run it again to continue.'

const FAILURES: Record<HttpTrouble, (address: string, cause: HttpFailure) => AppError> = {
  unreachable: (address, cause) =>
    failure('platform_unreachable', `No server answers at ${address} (${cause.reason}). ${CHECK_ADDRESS}`, cause),
  lost: (address, cause) =>
    failure('platform_connection_lost', `The connection to ${address} broke (${cause.reason}). ${CONTINUE}`, cause),
  silent: (address, cause) =>
    failure('platform_timeout', `${address} did not answer in ${cause.reason}. ${CONTINUE}`, cause),
  not_http: (address, cause) =>
    failure('platform_answer_unreadable', `${address} does not speak HTTP. ${CHECK_ADDRESS}`, cause),
  too_large: (address, cause) =>
    failure('platform_answer_unreadable', `${address} answers with more than ${cause.reason}.`, cause),
}

/** The error for a platform that did not answer. */
export function toHistoryFailure(cause: HttpFailure, address: string): AppError {
  return FAILURES[cause.trouble](address, cause)
}

/** The error for a status other than 200. The texts of platforms are not shown, because they may repeat what was sent. */
export function toHistoryRefusal(status: number, address: string): AppError {
  if (status === 401) {
    const message = `${address} does not accept the token.`
    return new AppError('unauthenticated', 'platform_credentials_refused', message, {
      hint: 'Check EVENT_HISTORY_TOKEN_…, or the file that EVENT_HISTORY_TOKEN_…_FILE names.',
    })
  }
  if (status === 403) {
    const message = `${address} does not permit to read this (status 403).`
    return new AppError('forbidden', 'platform_not_permitted', message, { hint: 'Check what the token may read.' })
  }
  if (status === 404 || status === 410) {
    const message = `${address} has no such place, or does not show it (status ${status}).`
    return new AppError('not_found', 'platform_place_unknown', message, {
      hint: 'Check the target, and what the token may read.',
    })
  }
  if (status >= 300 && status < 400) {
    const message = `${address} redirects (status ${status}), and the token is not sent to another address.`
    return new AppError('unavailable', 'platform_answer_unreadable', message, {
      hint: 'The place may have a new name: use it in the target. Or check --url.',
    })
  }
  if (status >= 500) {
    const message = `${address} answers with status ${status}. ${CONTINUE}`
    return new AppError('unavailable', 'platform_unavailable', message)
  }
  return new AppError('invalid', 'platform_request_refused', `${address} refuses the request with status ${status}.`, {
    hint: CHECK_ADDRESS,
  })
}

export function rateLimited(address: string, seconds: number): AppError {
  const message = `${address} accepts no request for ${Math.ceil(seconds)} s. ${CONTINUE}`
  return new AppError('unavailable', 'platform_rate_limited', message, { retryAfterSeconds: seconds })
}

/** @param how such as `not with JSON` */
export function answerUnreadable(address: string, how: string): AppError {
  return new AppError('unavailable', 'platform_answer_unreadable', `${address} answers ${how}. ${CHECK_ADDRESS}`)
}

function failure(code: string, message: string, cause: unknown): AppError {
  return new AppError('unavailable', code, message, { cause })
}
