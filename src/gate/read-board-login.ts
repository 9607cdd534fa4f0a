import { type FieldProblem, refusedInput } from '../model/app-error.js'
import { USER_LIMITS } from '../model/user.js'

export interface BoardLogin {
  password: string
  /** Where none was sent, and none is asked for. */
  username?: string
}

const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Reads a login of the board. `account` is another word for `username`. Only what nobody can have is refused here; other
 * members are ignored, as login forms send all sorts of them.
 *
 * @throws AppError `invalid/invalid_field` with every refused field
 *
 * Source: Board Access Gate, "Endpoints"; decisions on security, section 3, "login failure".
 */
export function readBoardLogin(input: unknown, { asksUsername }: { asksUsername: boolean }): BoardLogin {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refusedInput('The body', [{ field: '', detail: 'It must be a JSON object.' }])
  }
  const { username, account, password }: { username?: unknown; account?: unknown; password?: unknown } = input
  const field = username === undefined && account !== undefined ? '/account' : '/username'
  const name = username ?? account
  const problems = [
    ...(name === undefined && !asksUsername ? [] : problemsOfText(field, name)),
    ...(username !== undefined && account !== undefined && username !== account ? [TWO_NAMES] : []),
    ...problemsOfPassword(password),
  ]
  if (problems.length > 0) throw refusedInput('The login', problems)
  return { password, ...(name === undefined ? {} : { username: name }) } as BoardLogin
}

const TWO_NAMES: FieldProblem = { field: '/account', detail: '/account must be the same as /username, or be left out.' }

function problemsOfPassword(password: unknown): FieldProblem[] {
  const tooLong = typeof password === 'string' && Buffer.byteLength(password) > USER_LIMITS.passwordBytes
  if (!tooLong) return problemsOfText('/password', password)
  return [{ field: '/password', detail: `/password must be at most ${USER_LIMITS.passwordBytes} bytes long.` }]
}

/** Half of a surrogate pair has no UTF-8: all such texts would become one. */
function problemsOfText(field: string, value: unknown): FieldProblem[] {
  if (value === undefined) return [{ field, detail: `${field} is required.` }]
  if (typeof value !== 'string') return [{ field, detail: `${field} must be a text.` }]
  return LONE_SURROGATE.test(value) ? [{ field, detail: `${field} must not contain half of a surrogate pair.` }] : []
}
