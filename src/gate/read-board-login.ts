import { problemsOfText } from '../login/problems-of-text.js'
import { USER_LIMITS } from '../model/accounts/user.js'
import { type FieldProblem, refusedInput } from '../model/app-error.js'
import { readObject } from '../model/json-object.js'

export interface BoardLogin {
  password: string
  /** Absent if not sent, which is allowed only if none is required. */
  username?: string
}

/**
 * Reads a login of the board. `account` is an alias of `username`. Refuses only impossible input; other members are
 * ignored, because login forms send various extra ones.
 *
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with every refused field
 *
 * Source: Board Access Gate, "Endpoints"; decisions on security, section 3, "login failure".
 */
export function readBoardLogin(input: unknown, { asksUsername }: { asksUsername: boolean }): BoardLogin {
  const { username, account, password } = readObject(input, 'The body')
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
