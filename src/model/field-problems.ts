import { Settings } from '#typebox/system'
import type { FieldProblem } from './app-error.js'

/** A schema error at one place in the input. */
interface SchemaError {
  keyword: string
  schemaPath: string
  instancePath: string
  params: object
  message: string
}

const LISTED = 50
// By default typebox lists the first eight errors. Some errors are only about others.
Settings.Set({ maxErrors: LISTED })
/** Limit for the path of an unknown member. */
const SHOWN_CHARACTERS = 100

/** Describes schema errors in sentences. One problem per field and keyword, at most fifty, and a last one if there may be more. */
export function toFieldProblems(errors: readonly SchemaError[], input: unknown): FieldProblem[] {
  const problems = withJoinedTypes(ofChosenBranches(errors)).flatMap(error => problemsOf(error, input))
  if (errors.length < LISTED && problems.length <= LISTED) return problems
  const detail = `Only the first ${LISTED} problems are listed. There may be more.`
  return [...problems.slice(0, LISTED), { field: '', detail }]
}

/** The branch of a union that requires another constant, and the member with the constant. */
const CONSTANT_IN_BRANCH = /^(?<branch>(?<union>.*\/anyOf\/)\d+)\/properties\/[^/]+$/

/** If a constant such as `type` chooses one branch of a union, problems of the other branches are left out. */
function ofChosenBranches(errors: readonly SchemaError[]): readonly SchemaError[] {
  const refused = errors.flatMap(({ keyword, schemaPath, instancePath }) => {
    const { branch = '', union = '' } = CONSTANT_IN_BRANCH.exec(schemaPath)?.groups ?? {}
    const place = instancePath.slice(0, instancePath.lastIndexOf('/'))
    return keyword === 'const' && branch !== '' ? [{ branch: `${branch}/`, union, place: `${place}/` }] : []
  })
  const isIn = (error: SchemaError, schema: string, place: string) =>
    `${error.schemaPath}/`.startsWith(schema) && `${error.instancePath}/`.startsWith(place)
  const isOfRefused = (error: SchemaError) => refused.some(({ branch, place }) => isIn(error, branch, place))
  // If no branch is left, the constant is unknown, and any of the branches may be meant.
  const chosen = refused.filter(({ union, place }) =>
    errors.some(error => isIn(error, union, place) && !isOfRefused(error)),
  )
  return errors.filter(error => !chosen.some(({ branch, place }) => isIn(error, branch, place)))
}

/** A union of types reports each type: "must be string" and "must be null" become "must be string or null". */
function withJoinedTypes(errors: readonly SchemaError[]): SchemaError[] {
  const joined = new Map<string, SchemaError>()
  return errors.flatMap(error => {
    if (error.keyword !== 'type') return [error]
    const first = joined.get(error.instancePath)
    if (!first) {
      const own = { ...error }
      joined.set(error.instancePath, own)
      return [own]
    }
    if (!first.message.includes(error.message)) first.message += error.message.replace('must be', ' or')
    return []
  })
}

function problemsOf({ keyword, instancePath, params, message }: SchemaError, input: unknown): FieldProblem[] {
  if (keyword === 'required') {
    const { requiredProperties = [] } = params as { requiredProperties?: string[] }
    return requiredProperties.map(name => ({
      field: `${instancePath}/${name}`,
      detail: `${instancePath}/${name} is required.`,
    }))
  }
  // The unknown members are already reported one by one.
  if (keyword === 'additionalProperties') return []
  if (keyword === 'boolean') {
    const field = instancePath.slice(0, SHOWN_CHARACTERS)
    return [{ field, detail: `${field} cannot be sent here.` }]
  }
  // A union repeats the errors of its branches; the best-fitting branch is already reported.
  if (keyword === 'anyOf') return []
  return [
    {
      field: instancePath,
      detail: `${instancePath || 'The value'} ${inWords({ keyword, instancePath, params, message }, input)}.`,
    },
  ]
}

function inWords({ keyword, instancePath, params, message }: Omit<SchemaError, 'schemaPath'>, input: unknown): string {
  if (keyword === 'enum') return `must be one of: ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
  if (keyword !== 'pattern') return message
  const value = valueAt(instancePath, input)
  if (value.includes('\0')) return 'must not contain a NUL character'
  if (/\p{Surrogate}/u.test(value)) return 'must not contain a lone surrogate'
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return 'must not contain line breaks or other control characters'
  return message
}

function valueAt(path: string, input: unknown): string {
  let value = input
  for (const name of path.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return ''
    value = Reflect.get(value, name.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return typeof value === 'string' ? value : ''
}
