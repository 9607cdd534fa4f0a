import type { FieldProblem } from '../model/app-error.js'

const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Checks a required text of a login or user. Refuses lone surrogates: without UTF-8, different texts would become
 * equal.
 */
export function problemsOfText(field: string, value: unknown): FieldProblem[] {
  if (value === undefined) return [{ field, detail: `${field} is required.` }]
  if (typeof value !== 'string') return [{ field, detail: `${field} must be a text.` }]
  return LONE_SURROGATE.test(value) ? [{ field, detail: `${field} must not contain a lone surrogate.` }] : []
}
