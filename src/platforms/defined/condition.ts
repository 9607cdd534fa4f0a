import { invalidField } from '../../model/app-error.js'
import type { SourceCondition } from '../../model/sources/source-definition.js'
import { compilePlace, type Scope } from './place.js'

export type ConditionCheck = (scope: Scope) => boolean

/** Whether all conditions hold. @throws AppError `invalid/invalid_field` with the place in the definition */
export function compileConditions(conditions: readonly SourceCondition[], field: string): ConditionCheck {
  const all = conditions.map((condition, index) => compileCondition(condition, `${field}/${index}`))
  return scope => all.every(holds => holds(scope))
}

function compileCondition({ at, is, starts_with, exists }: SourceCondition, field: string): ConditionCheck {
  if ([is, starts_with, exists].filter(test => test !== undefined).length !== 1) {
    throw invalidField(field, `${field} needs exactly one of "is", "starts_with" and "exists".`)
  }
  const read = compilePlace(at, `${field}/at`)
  if (exists !== undefined) return scope => (read(scope) !== undefined) === exists
  if (starts_with !== undefined) {
    return scope => {
      const value = read(scope)
      return typeof value === 'string' && value.startsWith(starts_with)
    }
  }
  const accepted = new Set<unknown>(Array.isArray(is) ? is : [is])
  return scope => accepted.has(read(scope))
}
