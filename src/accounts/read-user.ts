import { type FieldProblem, refusedInput } from '../model/app-error.js'
import { ROLES, type Role, USER_LIMITS, USERNAME_PATTERN } from '../model/user.js'
import type { ChangedUser, NewUser } from './accounts.js'

export interface Login {
  username: string
  password: string
  /** Where to go afterwards; nobody has checked it. */
  next: unknown
}

const USERNAME = new RegExp(USERNAME_PATTERN)
const LONE_SURROGATE = /\p{Surrogate}/u

/** Whether somebody may be called so. Look-alikes of other scripts, blanks and control characters never match. */
export function isUsername(value: unknown): value is string {
  return typeof value === 'string' && USERNAME.test(value)
}

/**
 * Reads a user that is to be created. Members beyond those of `NewUser` are refused: one that was ignored, such as
 * `enabled`, would leave somebody with rights that nobody meant to give.
 *
 * @param passwordMinLength bytes of UTF-8
 * @throws AppError `invalid/invalid_field` with every refused field
 *
 * Source: decisions on security, section 2, "password", and section 3, "user creation".
 */
export function readNewUser(input: unknown, passwordMinLength: number): NewUser {
  const { username, password, role, ...others } = readMembers(input)
  const problems = [
    ...problemsOfUsername(username),
    ...problemsOfNewPassword(password, passwordMinLength),
    ...(role === undefined ? [] : problemsOfRole(role)),
    ...problemsOfOthers(others, 'username, password and role'),
  ]
  if (problems.length > 0) throw refusedInput('The user', problems)
  return { username, password, ...(role === undefined ? {} : { role }) } as NewUser
}

/** Reads what is to change of a user: one member at least. Otherwise as `readNewUser`. */
export function readChangedUser(input: unknown, passwordMinLength: number): ChangedUser {
  const { role, enabled, password, ...others } = readMembers(input)
  const sent = Object.entries({ role, enabled, password }).filter(([, value]) => value !== undefined)
  const problems = [
    ...(role === undefined ? [] : problemsOfRole(role)),
    ...(enabled === undefined || typeof enabled === 'boolean' ? [] : [problem('/enabled', 'must be true or false')]),
    ...(password === undefined ? [] : problemsOfNewPassword(password, passwordMinLength)),
    ...problemsOfOthers(others, 'role, enabled and password'),
  ]
  if (sent.length === 0 && problems.length === 0) {
    problems.push({ field: '', detail: 'Nothing is to change. Send role, enabled or password.' })
  }
  if (problems.length > 0) throw refusedInput('The change', problems)
  return Object.fromEntries(sent) as ChangedUser
}

/**
 * Reads a login. Only what nobody can have is refused here, such as a password that is no text; a name that nobody
 * can be called is a wrong one like others. Other members are ignored, as login forms send all sorts of them.
 *
 * @throws AppError `invalid/invalid_field` with every refused field
 */
export function readLogin(input: unknown): Login {
  const { username, password, next } = readMembers(input)
  const problems = [...problemsOfText('/username', username), ...problemsOfPassword(password)]
  if (problems.length > 0) throw refusedInput('The login', problems)
  return { username, password, next } as Login
}

function readMembers(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input }
  throw refusedInput('The body', [{ field: '', detail: 'It must be a JSON object.' }])
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

function problemsOfNewPassword(password: unknown, minLength: number): FieldProblem[] {
  if (typeof password !== 'string' || Buffer.byteLength(password) >= minLength) return problemsOfPassword(password)
  return [problem('/password', `must be at least ${minLength} bytes long`)]
}

function problemsOfPassword(password: unknown): FieldProblem[] {
  const tooLong = typeof password === 'string' && Buffer.byteLength(password) > USER_LIMITS.passwordBytes
  if (tooLong) return [problem('/password', `must be at most ${USER_LIMITS.passwordBytes} bytes long`)]
  // HMAC pads a short key with zeros: with them at its end a password would be the same as without.
  const padded = typeof password === 'string' && password.includes('\0')
  return padded ? [problem('/password', 'must not contain U+0000')] : problemsOfText('/password', password)
}

/** Half of a surrogate pair has no UTF-8: all such texts would become one. */
function problemsOfText(field: string, value: unknown): FieldProblem[] {
  if (value === undefined) return [problem(field, 'is required')]
  if (typeof value !== 'string') return [problem(field, 'must be a text')]
  return LONE_SURROGATE.test(value) ? [problem(field, 'must not contain half of a surrogate pair')] : []
}

/** Their names are not repeated: nobody knows what somebody sent in place of a name. */
function problemsOfOthers(others: Record<string, unknown>, known: string): FieldProblem[] {
  return Object.keys(others).length === 0 ? [] : [{ field: '', detail: `Nothing but ${known} can be sent.` }]
}

function problem(field: string, rest: string): FieldProblem {
  return { field, detail: `${field} ${rest}.` }
}
