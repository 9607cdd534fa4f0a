import { type NewToken, TOKEN_MAY, USER_LIMITS } from '../model/accounts/user.js'
import { type FieldProblem, joinRefusals, refusedInput } from '../model/app-error.js'
import { EVENT_LIMITS, SOURCE_PATTERN } from '../model/events/event-limits.js'
import { readObject } from '../model/json-object.js'
import { findTimestamp, type Micros, timestampRefusals } from '../model/timestamp.js'

const SOURCE = new RegExp(SOURCE_PATTERN)
/** No control characters, and none that change the direction of the text around them. */
const NAME = new RegExp(`^\\P{C}{1,${USER_LIMITS.tokenNameCharacters}}$`, 'u')

/**
 * Reads the terms of a new API token. Unknown members are refused: ignoring a misspelt one would give a token more
 * rights than intended.
 *
 * @param input parsed JSON; `{}`: all rights of the user, without an end
 * @param now an end must be later
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with every refused field,
 *   `invalid/invalid_timestamp` if only the end is refused, and is not an instant
 *
 * Source: decisions on routes, section 4, "writer token".
 */
export function readNewToken(input: unknown, now: Micros): Required<NewToken> {
  const { may = 'all', sources, name = null, expires_at = null, ...others } = readObject(input, 'The body')
  const problems: FieldProblem[] = []
  if (Object.keys(others).length > 0) {
    problems.push({ field: '', detail: 'Send may, sources, name and expires_at, and nothing else.' })
  }
  if (!isMay(may)) problems.push({ field: '/may', detail: '/may must be "all", "read" or "write".' })
  if (may !== 'write' && sources !== undefined) {
    problems.push({ field: '/sources', detail: '/sources limits what a token may write. Send "may": "write" with it.' })
  }
  if (may === 'write') problems.push(...problemsOfSources(sources))
  if (name !== null && !isName(name)) {
    const detail = `/name must be a text of 1 to ${USER_LIMITS.tokenNameCharacters} characters, without control characters.`
    problems.push({ field: '/name', detail })
  }
  const end = expires_at === null ? null : findTimestamp(expires_at)
  const unreadable = timestampRefusals('/expires_at', expires_at)
  if (unreadable.length === 0 && (end === undefined || (end !== null && end.micros <= now))) {
    problems.push({ field: '/expires_at', detail: '/expires_at must be a time to come, such as 2031-05-04T09:00:00Z.' })
  }
  const refusals = [...(problems.length > 0 ? [refusedInput('The token', problems)] : []), ...unreadable]
  if (refusals.length > 0) throw joinRefusals(refusals)
  return {
    may: may as Required<NewToken>['may'],
    sources: may === 'write' ? (sources as string[]) : [],
    name: name as string | null,
    expires_at: end?.text ?? null,
  }
}

function isMay(value: unknown): boolean {
  return TOKEN_MAY.some(may => may === value)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && NAME.test(value) && value.trim() !== ''
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
