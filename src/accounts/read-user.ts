import { problemsOfText } from '../login/problems-of-text.js'
import { ROLES, type Role, USER_LIMITS, USERNAME_PATTERN } from '../model/accounts/user.js'
import { type FieldProblem, refusedInput } from '../model/app-error.js'
import { readObject } from '../model/json-object.js'
import type { ChangedUser, NewUser } from './accounts.js'
import { weaknessOf } from './weak-password.js'

interface Login {
  username: string
  password: string
  /** Where to go afterwards; not validated, see `safeNext`. */
  next: unknown
}

const USERNAME = new RegExp(USERNAME_PATTERN)

/** Whether this can be a user name. Look-alikes of other scripts, blanks and control characters never match. */
export function isUsername(value: unknown): value is string {
  return typeof value === 'string' && USERNAME.test(value)
}

/**
 * Reads a user to create. Members that `NewUser` does not have are refused: a user whose `enabled` was ignored would
 * have unintended rights.
 *
 * @param passwordMinLength bytes of UTF-8
 * @throws AppError `invalid/invalid_field` with every refused field
 *
 * Source: decisions on security, section 2, "password", and section 3, "user creation".
 */
export function readNewUser(input: unknown, passwordMinLength: number): NewUser {
  const { username, password, role, ...others } = readObject(input, 'The body')
  const problems = [
    ...problemsOfUsername(username),
    ...problemsOfNewPassword(password, { passwordMinLength, username }),
    ...(role === undefined ? [] : problemsOfRole(role)),
    ...problemsOfOthers(others, 'username, password and role'),
  ]
  if (problems.length > 0) throw refusedInput('The user', problems)
  return { username, password, ...(role === undefined ? {} : { role }) } as NewUser
}

/**
 * Reads changes to a user, at least one. Otherwise like `readNewUser`.
 *
 * @param username of the user, which cannot be its password
 */
export function readChangedUser(input: unknown, passwordMinLength: number, username?: string): ChangedUser {
  const { role, enabled, password, ...others } = readObject(input, 'The body')
  const sent = Object.entries({ role, enabled, password }).filter(([, value]) => value !== undefined)
  const problems = [
    ...(role === undefined ? [] : problemsOfRole(role)),
    ...(enabled === undefined || typeof enabled === 'boolean' ? [] : [problem('/enabled', 'must be true or false')]),
    ...(password === undefined ? [] : problemsOfNewPassword(password, { passwordMinLength, username })),
    ...problemsOfOthers(others, 'role, enabled and password'),
  ]
  if (sent.length === 0 && problems.length === 0) {
    problems.push({ field: '', detail: 'There is nothing to change. Send role, enabled or password.' })
  }
  if (problems.length > 0) throw refusedInput('The change', problems)
  return Object.fromEntries(sent) as ChangedUser
}

/** Reads a user's own change of its password. Otherwise like `readChangedUser`. */
export function readOwnPassword(
  input: unknown,
  passwordMinLength: number,
  username: string,
): { current_password: string; password: string } {
  const { current_password, password, ...others } = readObject(input, 'The body')
  const problems = [
    ...problemsOfPassword('/current_password', current_password),
    ...problemsOfNewPassword(password, { passwordMinLength, username }),
    ...problemsOfOthers(others, 'current_password and password'),
  ]
  if (problems.length > 0) throw refusedInput('The change', problems)
  return { current_password, password } as { current_password: string; password: string }
}

/**
 * Reads a login. Refuses only impossible input, such as a password that is not text; an impossible name is handled like
 * any wrong name. Other members are ignored, because login forms send various extra ones.
 *
 * @throws AppError `invalid/invalid_field` with every refused field
 */
export function readLogin(input: unknown): Login {
  const { username, password, next } = readObject(input, 'The body')
  const problems = [...problemsOfText('/username', username), ...problemsOfPassword('/password', password)]
  if (problems.length > 0) throw refusedInput('The login', problems)
  return { username, password, next } as Login
}

function problemsOfUsername(username: unknown): FieldProblem[] {
  if (isUsername(username)) return []
  if (typeof username !== 'string') return problemsOfText('/username', username)
  const most = USER_LIMITS.usernameCharacters
  const form = `must have 1 to ${most} characters out of A-Z a-z 0-9 . _ @ - and begin with a letter or digit`
  return [problem('/username', form)]
}

function problemsOfRole(role: unknown): FieldProblem[] {
  return ROLES.includes(role as Role) ? [] : [problem('/role', `must be one of: ${ROLES.join(', ')}`)]
}

function problemsOfNewPassword(
  password: unknown,
  { passwordMinLength, username }: { passwordMinLength: number; username: unknown },
): FieldProblem[] {
  const problems = problemsOfPassword('/password', password)
  if (problems.length > 0 || typeof password !== 'string') return problems
  if (Buffer.byteLength(password) < passwordMinLength) {
    return [problem('/password', `needs at least ${passwordMinLength} characters`)]
  }
  const weakness = weaknessOf(password, typeof username === 'string' ? username : undefined)
  return weakness === undefined ? [] : [problem('/password', weakness)]
}

function problemsOfPassword(field: string, password: unknown): FieldProblem[] {
  const tooLong = typeof password === 'string' && Buffer.byteLength(password) > USER_LIMITS.passwordBytes
  if (tooLong) return [problem(field, `may have at most ${USER_LIMITS.passwordBytes} bytes`)]
  // HMAC pads a short key with zeros, so trailing zeros would not change a password.
  const padded = typeof password === 'string' && password.includes('\0')
  return padded ? [problem(field, 'must not contain U+0000')] : problemsOfText(field, password)
}

/** The problems do not repeat the names of these members, which may contain secrets. */
function problemsOfOthers(others: Record<string, unknown>, known: string): FieldProblem[] {
  return Object.keys(others).length === 0 ? [] : [{ field: '', detail: `Only ${known} can be sent.` }]
}

function problem(field: string, rest: string): FieldProblem {
  return { field, detail: `${field} ${rest}.` }
}
