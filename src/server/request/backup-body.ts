import { isAbsolute } from 'node:path'
import { invalidField, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import type { SchemaCheck } from '../../model/schema-check.js'

/** @throws AppError `invalid/invalid_field` */
export function readBackup<Request extends { path: string }>(check: SchemaCheck<Request>, input: unknown): Request {
  if (!check.Check(input)) throw refusedInput('The backup', toFieldProblems(check.Errors(input), input))
  if (!isAbsolute(input.path)) throw invalidField('/path', '/path must be an absolute path.')
  return input
}
