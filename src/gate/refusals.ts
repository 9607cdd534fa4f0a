import { AppError, type ErrorCategory } from '../model/app-error.js'
import type { Refusal } from './decide.js'

interface Said {
  category: ErrorCategory
  message: string
  hint: string
}

const SAID: Record<Refusal, Said> = {
  local_only: {
    category: 'forbidden',
    message: "Only commands on the board's own machine may do this.",
    hint: 'They reach it through the socket beside its files.',
  },
  host_not_allowed: {
    category: 'forbidden',
    message: 'This board asks for no login, so it answers only under names of its own machine.',
    hint: 'Call it as localhost, 127.0.0.1 or [::1].',
  },
  password_login_disabled: {
    category: 'not_found',
    message: 'This board has no login with a password.',
    hint: 'Set BOARD_PASSWORD to have one.',
  },
  unauthenticated: {
    category: 'unauthenticated',
    message: 'This needs a login.',
    hint: 'Log in, or send the API key as Authorization: Bearer or X-Board-Token.',
  },
  origin_not_allowed: {
    category: 'forbidden',
    message: 'The Origin of this request is not allowed.',
    hint: 'Open the page under the address of the board, or set BOARD_SERVICE_URL to the address it is served from.',
  },
  csrf_failed: {
    category: 'forbidden',
    message: 'The CSRF token of this session is missing or wrong.',
    hint: 'Send csrf_token of GET /api/session as X-CSRF-Token.',
  },
  executor_disabled: {
    category: 'forbidden',
    message: 'Real execution is off: no executor token is configured.',
    hint: 'Set BOARD_EXECUTOR_TOKEN to switch it on.',
  },
  executor_denied: {
    category: 'forbidden',
    message: "This needs the executor's token besides the login.",
    hint: 'Send it as X-Board-Executor-Token.',
  },
}

/** What a refused request is told: the same words whoever sent it and whatever it showed. */
export function toRefusal(refusal: Refusal): AppError {
  const { category, message, hint } = SAID[refusal]
  return new AppError(category, refusal, message, { hint })
}
