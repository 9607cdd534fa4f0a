import type { Outcome } from '../sentences/event-outcome.js'
import { readTimestamp } from '../timestamp.js'
import type { Verification } from './event.js'
import type { EventFilter } from './event-match.js'
import type { ExcludedValues } from './event-query.js'
import { checkLength, readSearch, type SearchTerm } from './search.js'

/** Valid filters by the names of the query parameters. `EventFilter` explains their meaning. */
export interface FilterValues {
  source?: readonly string[]
  kind?: readonly string[]
  subscription_id?: readonly string[]
  subject_id?: string
  /** RFC 3339. */
  occurred_from?: string
  occurred_to?: string
  actor?: readonly string[]
  target?: string
  verified?: readonly Verification[]
  outcome?: readonly Outcome[]
  exclude_source?: readonly string[]
  exclude_kind?: readonly string[]
  exclude_actor?: readonly string[]
  exclude_target?: readonly string[]
  exclude_outcome?: readonly Outcome[]
  exclude_q?: readonly string[]
  q?: string
}

/** @throws AppError `invalid/invalid_field` for a `q` that is too long, or for `exclude_q` that are too long together */
export function toEventFilter(values: FilterValues): EventFilter {
  const excluded: ExcludedValues = defined({
    sources: values.exclude_source,
    kinds: values.exclude_kind,
    actors: values.exclude_actor,
    targets: values.exclude_target,
    outcomes: values.exclude_outcome,
    searches: readSearches('exclude_q', values.exclude_q),
  })
  const micros = (name: 'occurred_from' | 'occurred_to') =>
    values[name] === undefined ? undefined : readTimestamp(name, values[name]).micros
  const search = readSearch('q', values.q ?? '')
  return defined({
    sources: values.source,
    kinds: values.kind,
    subscriptionIds: values.subscription_id,
    subjectId: values.subject_id,
    occurredFrom: micros('occurred_from'),
    occurredTo: micros('occurred_to'),
    actors: values.actor,
    target: values.target,
    verified: values.verified,
    outcomes: values.outcome,
    excluded: Object.keys(excluded).length > 0 ? excluded : undefined,
    // An empty search matches everything.
    search: search.length > 0 ? search : undefined,
  })
}

/** Blank texts neither search nor exclude. */
function readSearches(field: string, texts: readonly string[] = []): SearchTerm[][] | undefined {
  checkLength(field, texts.join(''))
  const searches = texts.map(text => readSearch(field, text)).filter(terms => terms.length > 0)
  return searches.length > 0 ? searches : undefined
}

/** The members that have a value. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
