import type { HttpFailure, HttpTrouble } from '../../http/http-failure.js'
import { AppError } from '../../model/app-error.js'

const CHECK_ADDRESS = 'Check the address of the hook.'

/** The error for a platform that did not answer. */
export function toPlatformFailure(cause: HttpFailure, origin: string): AppError {
  return FAILURES[cause.trouble](origin, cause)
}

const FAILURES: Record<HttpTrouble, (origin: string, cause: HttpFailure) => AppError> = {
  unreachable: (origin, { reason, cause }) =>
    failure('platform_unreachable', `${origin} cannot be reached (${reason}). ${CHECK_ADDRESS}`, cause),
  lost: (origin, { reason, cause }) =>
    failure('platform_connection_lost', `The connection to ${origin} broke (${reason}). Run it again later.`, cause),
  silent: (origin, { reason }) =>
    failure('platform_timeout', `${origin} did not answer in ${reason}. Run it again later.`),
  not_http: (origin, { cause }) =>
    failure('platform_answer_unreadable', `${origin} does not speak HTTP. ${CHECK_ADDRESS}`, cause),
  too_large: (origin, { reason }) =>
    failure('platform_answer_unreadable', `${origin} answers with more than ${reason}.`),
}

/** The error for an answer that is no success. The texts of platforms are not shown: they may contain what was sent. */
export function toPlatformRefusal(status: number, origin: string): AppError {
  if (status === 401) {
    const message = `${origin} does not accept the token. Check that it is current, and that it is of this server.`
    return new AppError('unauthenticated', 'platform_credentials_refused', message)
  }
  if (status === 403) {
    const message = `${origin} does not let this token read the deliveries of the hook.`
    const hint = 'Give it the right to administer the hooks of the repository, group or forum.'
    return new AppError('forbidden', 'platform_not_permitted', message, { hint })
  }
  if (status === 404) {
    const message = `${origin} has no such hook, or does not show it to this token.`
    return new AppError('not_found', 'hook_unknown', message, {
      hint: `${CHECK_ADDRESS} And check what the token may see.`,
    })
  }
  if (status >= 500) {
    return failure('platform_unavailable', `${origin} answers with status ${status}. Run it again later.`)
  }
  const redirects = status >= 300 && status < 400 ? ' The token is not sent to another address.' : ''
  return unreadableAnswer(`${origin} answers with status ${status}.${redirects} ${CHECK_ADDRESS}`)
}

export function unreadableAnswer(message: string): AppError {
  return failure('platform_answer_unreadable', message)
}

/** @throws AppError `unavailable/platform_answer_unreadable` for what is not JSON */
export function readAnswer(text: string, origin: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadableAnswer(`${origin} does not answer with JSON. ${CHECK_ADDRESS}`)
  }
}

function failure(code: string, message: string, cause?: unknown): AppError {
  return new AppError('unavailable', code, message, { cause })
}
