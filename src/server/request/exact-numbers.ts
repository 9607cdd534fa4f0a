import { AppError, type FieldProblem } from '../../model/app-error.js'
import { walkJson } from './json-walk.js'

/** A number with sixteen leading digits, or with an exponent of three digits. Only these can change as a double. */
const SUSPECT = /[:[,\s]-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/
const INTEGER = /^-?\d+$/
const MAX_REPORTED = 20
/** Length of the shown part of the pointer to such a number; a pointer may be as long as the text. */
const SHOWN_CHARACTERS = 512

/**
 * Refuses numbers that would change: integers that a double cannot represent, and numbers beyond its range. (Fractions
 * become the nearest double, as everywhere in JSON.)
 *
 * @param text valid JSON
 * @throws AppError `invalid/invalid_field` naming each
 */
export function refuseInexactNumbers(text: string): void {
  if (!SUSPECT.test(text)) return
  const errors: FieldProblem[] = []
  walkJson(text, (token, pointer) => {
    if (isKept(token) || errors.length === MAX_REPORTED) return
    const field = pointer().slice(0, SHOWN_CHARACTERS)
    errors.push({ field, detail: `${field} is a number that cannot be kept exactly. Send it as a string.` })
  })
  const [first] = errors
  if (first) throw new AppError('invalid', 'invalid_field', first.detail, { errors })
}

function isKept(token: string): boolean {
  const value = Number(token)
  if (!Number.isFinite(value)) return false
  return !INTEGER.test(token) || Number.isSafeInteger(value) || BigInt(value) === BigInt(token)
}
