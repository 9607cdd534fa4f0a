import { type TokenRights, USER_LIMITS } from '../model/accounts/user.js'
import { type FieldProblem, notAnObject, refusedInput } from '../model/app-error.js'
import { EVENT_LIMITS, SOURCE_PATTERN } from '../model/events/event-limits.js'

const SOURCE = new RegExp(SOURCE_PATTERN)

/**
 * Reads the rights of a new API token. Unknown members are refused: ignoring a misspelt one would give a token more
 * rights than intended.
 *
 * @param input parsed JSON; `{}`: all rights of the user
 * @throws AppError `invalid/invalid_json` if it is no object, `invalid/invalid_field` with every refused field
 *
 * Source: decisions on routes, section 4, "writer token".
 */
export function readTokenRights(input: unknown): TokenRights {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw notAnObject('The body')
  const { may = 'all', sources, ...others }: Record<string, unknown> = { ...input }
  const problems: FieldProblem[] = []
  if (Object.keys(others).length > 0) problems.push({ field: '', detail: 'Send may and sources, and nothing else.' })
  if (may !== 'all' && may !== 'write') problems.push({ field: '/may', detail: '/may must be "all" or "write".' })
  if (may === 'all' && sources !== undefined) {
    problems.push({ field: '/sources', detail: '/sources limits what a token may write. Send "may": "write" with it.' })
  }
  if (may === 'write') problems.push(...problemsOfSources(sources))
  if (problems.length > 0) throw refusedInput('The token', problems)
  return may === 'write' ? { may, sources: sources as string[] } : { may: 'all', sources: [] }
}

function problemsOfSources(sources: unknown): FieldProblem[] {
  const most = USER_LIMITS.tokenSources
  if (!Array.isArray(sources) || sources.length === 0 || sources.length > most) {
    return [{ field: '/sources', detail: `/sources must be a list of 1 to ${most} sources, such as ["ci"].` }]
  }
  const problems = sources.flatMap((source, at) => {
    const isSource = typeof source === 'string' && source.length <= EVENT_LIMITS.sourceCharacters && SOURCE.test(source)
    const form = `is not a letter or digit and then up to ${EVENT_LIMITS.sourceCharacters - 1} of: letters, digits, ".", "_", "-"`
    return isSource ? [] : [{ field: `/sources/${at}`, detail: `/sources/${at} ${form}.` }]
  })
  if (problems.length === 0 && new Set(sources).size < sources.length) {
    problems.push({ field: '/sources', detail: '/sources names a source twice.' })
  }
  return problems
}
