import { AppError, type ErrorCategory } from '../model/app-error.js'
import type { Refusal } from './decide.js'

interface RefusalText {
  category: ErrorCategory
  message: string
  hint: string
}

const REFUSAL_TEXT: Record<Refusal, RefusalText> = {
  local_only: {
    category: 'forbidden',
    message: "Only commands on the board's own machine may do this.",
    hint: 'They use the socket next to its files.',
  },
  host_not_allowed: {
    category: 'forbidden',
    message: 'This board needs no login, so it answers only to local host names.',
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
    message: "This needs the executor's token in addition to the login.",
    hint: 'Send it as X-Board-Executor-Token.',
  },
}

/** The same text for every caller and every credential. */
export function toRefusal(refusal: Refusal): AppError {
  const { category, message, hint } = REFUSAL_TEXT[refusal]
  return new AppError(category, refusal, message, { hint })
}
