import { AppError, type FieldProblem } from '../../model/app-error.js'

/**
 * Joins several refusals of one input to one that lists every field. Its code is the common one, or `invalid_field`.
 */
export function joinRefusals(refusals: readonly AppError[]): AppError {
  const [first, ...others] = refusals
  if (first && others.length === 0) return first
  const code = first && others.every(refusal => refusal.code === first.code) ? first.code : 'invalid_field'
  const message = `${refusals.length} parts of the request are not acceptable; "errors" lists them. The first: ${first?.message ?? ''}`
  return new AppError('invalid', code, message, { errors: refusals.flatMap(fieldsOf) })
}

/** The refused fields; an input refused as a whole is the field "". */
export function fieldsOf(refusal: AppError): FieldProblem[] {
  return refusal.errors.length > 0 ? refusal.errors : [{ field: '', detail: refusal.message }]
}
