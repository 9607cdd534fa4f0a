import type { HttpFailure, HttpTrouble } from '../../http/http-failure.js'
import { AppError } from '../../model/app-error.js'

const CHECK_ADDRESS = 'Check the address of the hook.'

/** The error for a platform that did not answer. */
export function toPlatformFailure({ trouble, reason, cause }: HttpFailure, origin: string): AppError {
  return new AppError('unavailable', CODES[trouble], sentenceOf(trouble, origin, reason), { cause })
}

const CODES: Record<HttpTrouble, string> = {
  unreachable: 'platform_unreachable',
  lost: 'platform_connection_lost',
  silent: 'platform_timeout',
  not_http: 'platform_answer_unreadable',
  too_large: 'platform_answer_unreadable',
}

function sentenceOf(trouble: HttpTrouble, origin: string, reason: string): string {
  switch (trouble) {
    case 'unreachable':
      return `${origin} cannot be reached (${reason}). ${CHECK_ADDRESS}`
    case 'lost':
      return `The connection to ${origin} broke (${reason}). Run it again later.`
    case 'silent':
      return `${origin} did not answer in ${reason}. Run it again later.`
    case 'not_http':
      return `${origin} does not speak HTTP. ${CHECK_ADDRESS}`
    case 'too_large':
      return `${origin} answers with more than ${reason}.`
  }
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
    const message = `${origin} answers with status ${status}. Run it again later.`
    return new AppError('unavailable', 'platform_unavailable', message)
  }
  const redirects = status >= 300 && status < 400 ? ' The token is not sent to another address.' : ''
  return unreadableAnswer(`${origin} answers with status ${status}.${redirects} ${CHECK_ADDRESS}`)
}

export function unreadableAnswer(message: string): AppError {
  return new AppError('unavailable', 'platform_answer_unreadable', message)
}

/** @throws AppError `unavailable/platform_answer_unreadable` for what is not JSON */
export function readAnswer(text: string, origin: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadableAnswer(`${origin} does not answer with JSON. ${CHECK_ADDRESS}`)
  }
}
