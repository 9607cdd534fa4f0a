import { VERIFICATIONS, type Verification } from '../../model/events/event.js'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import { type EventQuery, type ExcludedValues, QUERY_LIMITS } from '../../model/events/event-query.js'
import { readSearch } from '../../model/events/search.js'
import { OUTCOMES, type Outcome } from '../../model/sentences/event-outcome.js'
import type { QueryString } from '../request/query-string.js'

const EXCLUDING = ['exclude_source', 'exclude_kind', 'exclude_actor', 'exclude_target', 'exclude_outcome'] as const
export const REPEATABLE = ['source', 'kind', 'subscription_id', 'actor', 'outcome', ...EXCLUDING] as const

export type FilterName =
  | (typeof REPEATABLE)[number]
  | 'subject_id'
  | 'target'
  | 'verified'
  | 'occurred_from'
  | 'occurred_to'
  | 'q'
/** A value of these that begins with "!" is excluded. */
type Excludable = 'source' | 'kind' | 'actor' | 'outcome'
const LONGEST_VALUE = 2 * EVENT_LIMITS.subjectIdCharacters

/** The filters of a query string, without its range. */
export function readFilters<Other extends string>(params: QueryString<Other | FilterName>): Partial<EventQuery> {
  const text = (name: FilterName) => params.text(name, LONGEST_VALUE)
  const search = params.attempt(() => readSearch('q', params.raw('q') ?? ''))
  const sources = readBoth(params, 'source', readSources)
  const kinds = readBoth(params, 'kind', readKinds)
  const actors = readBoth(params, 'actor', readChoices)
  const outcomes = readBoth(params, 'outcome', readOutcomes)
  const excluded: ExcludedValues = defined({
    sources: sources.excluded,
    kinds: kinds.excluded,
    actors: actors.excluded,
    targets: readChoices(params, 'exclude_target', params.all('exclude_target')),
    outcomes: outcomes.excluded,
  })
  if (excluded.kinds?.includes('*')) params.refuse('exclude_kind', 'Without kind "*" there is no event at all.')
  return defined({
    sources: sources.included,
    kinds: kinds.included,
    subscriptionIds: readChoices(params, 'subscription_id', params.all('subscription_id')),
    subjectId: text('subject_id'),
    occurredFrom: params.timestamp('occurred_from')?.micros,
    occurredTo: params.timestamp('occurred_to')?.micros,
    actors: actors.included,
    target: text('target'),
    verified: readVerified(params),
    outcomes: outcomes.included,
    excluded: Object.keys(excluded).length > 0 ? excluded : undefined,
    // A search for nothing finds everything.
    search: search?.length ? search : undefined,
  })
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
  if (kinds?.some(kind => kind.startsWith('!') || (kind !== '*' && /\*(?!$)|[^.]\*$/.test(kind)))) {
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

/** The members that have a value. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
