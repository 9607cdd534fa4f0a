import type { Verification } from '#model/events/event'
import { OUTCOMES } from '#model/sentences/event-outcome'
import { integer, type Param, type Params, readState, text, texts } from '../../../shared/query-state.js'
import { DEFAULT_DAYS, isRelative, MOST_DAYS, relativeRange } from './relative-range.js'

export type Excludable = 'source' | 'kind' | 'actor' | 'target' | 'outcome'

/**
 * State of the events view in the address: the filters under the API's own names, as `GET /api/events` accepts them,
 * then the page's own. Empty texts and lists mean not set.
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events".
 */
export interface Filters extends RangeFilters, Record<`exclude_${Excludable | 'q'}`, readonly string[]> {
  q: string
  source: readonly string[]
  kind: readonly string[]
  subscription_id: readonly string[]
  actor: readonly string[]
  verified: readonly Verification[]
  outcome: readonly string[]
  /** Key of a node anywhere in the target chain. */
  target: string
  subject_id: string
  /** Dedupe key of the event in the panel. */
  event: string
  live: boolean
}

/** The range: `days`, or `last`, or `from` and `to`. */
export interface RangeFilters {
  /** The last N days. */
  days: number | undefined
  /** A range of the page; the API has no such parameter: `15m`, `6h`, `today`, `yesterday`. */
  last: string
  /** Instants with a zone, inclusive. */
  from: string
  to: string
}

/** The server's limit. */
const MOST_CHOICES = 50
export const MOST_EXCLUDED_SEARCHES = 10
export const LONGEST_SEARCH = 4096
const LONGEST_VALUE = 2048

export const VERIFIED: readonly Verification[] = ['signature', 'token', 'login', 'none']

/** A text that counts only if it is accepted. */
const only = (accept: (text: string) => string): Param<string> => ({
  ...text,
  read: values => accept(text.read(values)),
})

const value = only(text => text.slice(0, LONGEST_VALUE))

const choices: Param<readonly string[]> = {
  ...texts,
  read: values => texts.read(values.map(one => one.slice(0, LONGEST_VALUE))).slice(0, MOST_CHOICES),
}

const choicesOf = (accept: (values: readonly string[]) => readonly string[]): Param<readonly string[]> => ({
  ...{ ...choices, read: values => accept(choices.read(values)) },
})

/** A comma-separated list, in the order of `VERIFIED`. */
const verifications: Param<readonly Verification[]> = {
  read: values => VERIFIED.filter(word => values.join(',').split(',').includes(word)),
  write: chosen => (chosen.length === 0 ? [] : [chosen.join(',')]),
}

/** The API does not accept patterns for sources. */
const sources = choicesOf(values => values.filter(source => !/^!|\*/.test(source)))
const outcomes = choicesOf(values => OUTCOMES.filter(outcome => values.includes(outcome)))
/** Without `*`, which would leave nothing. */
const excludedKinds = choicesOf(values => values.filter(kind => kind !== '*'))

export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Kept as text: an instant has microseconds, which a `Date` would drop. */
const instant = only(text => (INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''))

export const FILTER_PARAMS: Params<Filters> = {
  q: only(text => text.slice(0, LONGEST_SEARCH)),
  source: sources,
  kind: choices,
  subscription_id: choices,
  actor: choices,
  verified: verifications,
  outcome: outcomes,
  target: value,
  subject_id: value,
  exclude_source: sources,
  exclude_kind: excludedKinds,
  exclude_actor: choices,
  exclude_target: choices,
  exclude_outcome: outcomes,
  exclude_q: { ...choices, read: values => choices.read(values).slice(0, MOST_EXCLUDED_SEARCHES) },
  days: integer({ least: 1, most: MOST_DAYS }),
  last: only(text => (isRelative(text) ? text : '')),
  from: instant,
  to: instant,
  event: value,
  live: { read: ([on]) => on === '1', write: on => (on ? ['1'] : []) },
}

/** Filters as the API accepts them: unset ones are absent, and there is always a range. */
export type ApiQuery = Readonly<Record<string, string | number | readonly string[]>>

/**
 * Only the API's own parameters: for the list, the histogram, the export, the stream.
 *
 * @param now end of a range that moves with time, in epoch milliseconds
 */
export function toApiQuery(filters: Filters, now = Date.now()): ApiQuery {
  const { q, verified, days, last, event: _, live: __, ...others } = filters
  const relative = last === '' ? undefined : relativeRange(last, now)
  const from = relative?.from ?? filters.from
  const to = relative ? (relative.isOpen ? '' : relative.to) : filters.to
  const isCustom = from !== '' || to !== ''
  const all: ApiQuery = {
    q: q.trim(),
    verified: verified.join(','),
    ...others,
    from,
    to,
    ...(isCustom ? {} : { days: days ?? DEFAULT_DAYS }),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => typeof value === 'number' || value.length > 0))
}

const nothing = readState(FILTER_PARAMS, new URLSearchParams())
const { days: _, last: __, from: _from, to: _to, event: _event, live: _live, ...none } = nothing

export const NO_RANGE: RangeFilters = { days: undefined, last: '', from: '', to: '' }

/** Applies a change. A new range replaces the previous one of any form. */
export function withChange(filters: Filters, change: Partial<Filters>): Filters {
  const isRange = change.days || change.last || change.from || change.to
  return { ...filters, ...(isRange ? NO_RANGE : {}), ...change }
}

/** No filters; leaves the range unchanged. */
export const NO_FILTERS: Omit<Filters, keyof RangeFilters | 'event' | 'live'> = none

export function countFilters(filters: Filters): number {
  return Object.keys(NO_FILTERS).filter(name => filters[name as keyof typeof NO_FILTERS].length > 0).length
}
