import { VERIFICATIONS, type Verification } from '../../model/events/event.js'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import type { EventFilter } from '../../model/events/event-match.js'
import { isKindPattern } from '../../model/events/event-match.js'
import { QUERY_LIMITS } from '../../model/events/event-query.js'
import { defined, type FilterValues, toEventFilter } from '../../model/events/filter-values.js'
import { OUTCOMES, type Outcome } from '../../model/sentences/event-outcome.js'
import { QueryString } from '../request/query-string.js'

const EXCLUDING = [
  'exclude_source',
  'exclude_kind',
  'exclude_actor',
  'exclude_target',
  'exclude_outcome',
  'exclude_q',
] as const
export const REPEATABLE = ['source', 'kind', 'subscription_id', 'actor', 'outcome', ...EXCLUDING] as const

export type FilterName =
  | (typeof REPEATABLE)[number]
  | 'subject_id'
  | 'target'
  | 'verified'
  | 'occurred_from'
  | 'occurred_to'
  | 'q'
/** Filters in which a value that begins with "!" is excluded. */
type Excludable = 'source' | 'kind' | 'actor' | 'outcome'
const LONGEST_VALUE = 2 * EVENT_LIMITS.subjectIdCharacters

/** Filters that have values. */
export const FILTER_NAMES: readonly FilterName[] = [
  ...REPEATABLE,
  ...(['subject_id', 'target', 'verified', 'occurred_from', 'occurred_to', 'q'] as const),
]

/** The filters of a query string, without its range. */
export function readFilters<Other extends string>(params: QueryString<Other | FilterName>): EventFilter {
  const values = readFilterValues(params)
  return params.attempt(() => toEventFilter(values)) ?? {}
}

/**
 * Reads filters that were sent as an object: the parameters of a page by name, each a text or a list of texts.
 *
 * @throws AppError `invalid/invalid_field`, `invalid/invalid_timestamp`, listing every filter that is not acceptable
 */
export function readFilterObject(filters: Readonly<Record<string, string | readonly string[]>>): FilterValues {
  const pairs = Object.entries(filters).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  const params = new QueryString(`?${new URLSearchParams(pairs)}`, FILTER_NAMES, REPEATABLE)
  const values = readFilterValues(params)
  params.attempt(() => toEventFilter(values))
  params.finish()
  return values
}

function readFilterValues<Other extends string>(params: QueryString<Other | FilterName>): FilterValues {
  const text = (name: FilterName) => params.text(name, LONGEST_VALUE)
  const sources = readBoth(params, 'source', readSources)
  const kinds = readBoth(params, 'kind', readKinds)
  const actors = readBoth(params, 'actor', readChoices)
  const outcomes = readBoth(params, 'outcome', readOutcomes)
  if (kinds.excluded?.includes('*')) params.refuse('exclude_kind', 'Excluding the kind "*" leaves no events.')
  return defined({
    source: sources.included,
    kind: kinds.included,
    subscription_id: readChoices(params, 'subscription_id', params.all('subscription_id')),
    subject_id: text('subject_id'),
    occurred_from: params.timestamp('occurred_from')?.text,
    occurred_to: params.timestamp('occurred_to')?.text,
    actor: actors.included,
    target: text('target'),
    verified: readVerified(params),
    outcome: outcomes.included,
    exclude_source: sources.excluded,
    exclude_kind: kinds.excluded,
    exclude_actor: actors.excluded,
    exclude_target: readChoices(params, 'exclude_target', params.all('exclude_target')),
    exclude_outcome: outcomes.excluded,
    exclude_q: readExcludedSearches(params),
    q: params.raw('q') || undefined,
  })
}

/**
 * Each event is compared with all of them, one by one: fewer than of other filters. `toEventFilter` checks the length of
 * all together.
 */
function readExcludedSearches<Other extends string>(params: QueryString<Other | FilterName>) {
  const { excludedSearches } = QUERY_LIMITS
  const texts = params.all('exclude_q')
  if (texts.length > excludedSearches)
    params.refuse('exclude_q', `exclude_q was given more than ${excludedSearches} times.`)
  return readChoices(params, 'exclude_q', texts.slice(0, excludedSearches), Number.POSITIVE_INFINITY)
}

/** The values of a filter, and those to exclude: `kind=!message.*` is the same as `exclude_kind=message.*`. */
function readBoth<Other extends string, Value extends string>(
  params: QueryString<Other | FilterName>,
  name: Excludable,
  read: ReadValues<Value>,
): { included: readonly Value[] | undefined; excluded: readonly Value[] | undefined } {
  const isExcluded = (value: string) => value.startsWith('!')
  const values = params.all(name)
  const included = read(
    params,
    name,
    values.filter(value => !isExcluded(value)),
  )
  const marked = values.filter(isExcluded).map(value => value.slice(1))
  const named = params.all(`exclude_${name}`)
  const excluded = [...(read(params, name, marked) ?? []), ...(read(params, `exclude_${name}`, named) ?? [])]
  return { included, excluded: excluded.length > 0 ? excluded : undefined }
}

type Refuses = Pick<QueryString<string>, 'refuse'>
/** Reads alternative values of a parameter; undefined if there is none. */
type ReadValues<Value extends string> = (
  params: Refuses,
  name: string,
  values: readonly string[],
) => readonly Value[] | undefined

const readSources: ReadValues<string> = (params, name, values) => {
  const sources = readChoices(params, name, values)
  if (sources?.some(source => /^!|\*/.test(source))) {
    params.refuse(name, `${name} is the whole word, such as chat: "*" is not supported. Repeat it for several.`)
  }
  return sources
}

const readKinds: ReadValues<string> = (params, name, values) => {
  const kinds = readChoices(params, name, values, 2 * EVENT_LIMITS.kindCharacters)
  if (kinds && !kinds.every(isKindPattern)) {
    params.refuse(
      name,
      `A "*" in ${name} must be alone, or last after a dot, as in message.*; a "!" the first character.`,
    )
  }
  return kinds
}

const readOutcomes: ReadValues<Outcome> = (params, name, values) => {
  const words = readChoices(params, name, values)
  if (words?.some(word => !OUTCOMES.some(outcome => outcome === word))) {
    params.refuse(name, `${name} must be one of: ${OUTCOMES.join(', ')}. Repeat it for several.`)
  }
  return words && OUTCOMES.filter(outcome => words.includes(outcome))
}

function readChoices(
  params: Refuses,
  name: string,
  values: readonly string[],
  longest = LONGEST_VALUE,
): readonly string[] | undefined {
  const { choices } = QUERY_LIMITS
  if (values.length > choices) params.refuse(name, `${name} was given more than ${choices} times.`)
  if (values.includes('')) params.refuse(name, `${name} is empty. Leave it out or give it a value.`)
  if (values.some(value => value.length > longest)) params.refuse(name, `${name} is longer than ${longest} characters.`)
  return values.length > 0 ? values : undefined
}

function readVerified<Other extends string>(
  params: QueryString<Other | FilterName>,
): readonly Verification[] | undefined {
  const list = params.raw('verified')
  if (list === undefined) return undefined
  const words = list.split(',')
  const known = VERIFICATIONS.filter(word => words.includes(word))
  if (words.every(word => VERIFICATIONS.some(verification => verification === word))) return known
  params.refuse('verified', `verified must be a comma list of: ${VERIFICATIONS.join(', ')}.`)
  return undefined
}
