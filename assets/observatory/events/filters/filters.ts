import { computed, type ReadonlySignal } from '@preact/signals'
import { type How, queryState } from '../../../shared/server/address.js'
import { fromMs } from '../../../shared/words/time.js'
import {
  type ApiQuery,
  countFilters,
  DEFAULT_DAYS,
  type Excludable,
  FILTER_PARAMS,
  type Filters,
  NO_FILTERS,
  toApiQuery,
  withChange,
} from './filter-params.js'

const DAY_MS = 86_400_000

const state = queryState<Filters>(FILTER_PARAMS)

/** The state in the address. */
export const filters: ReadonlySignal<Filters> = state.value

/**
 * Changes some filters. `push` for choices, so that the back button undoes them; `replace` while typing and for derived
 * changes.
 */
export function setFilters(change: Partial<Filters>, how: How = 'push'): void {
  state.set(withChange(filters.peek(), change), how)
}

/** The query with the change, for a link. */
export function filtersQuery(change: Partial<Filters>): URLSearchParams {
  return state.query(withChange(filters.value, change))
}

const query = computed(() => JSON.stringify(toApiQuery(filters.value)))

/** Filters and range as the API accepts them. Changes only with these: not with the open event, or Live. */
export const queryKey: ReadonlySignal<string> = query

export function apiQuery(): ApiQuery {
  return JSON.parse(query.value) as ApiQuery
}

export interface TimeRange {
  /** Undefined: the start of the ledger. */
  from: string | undefined
  to: string
  /** Whether it ends now and moves with the time. */
  isOpen: boolean
}

/** The instants of the range. @param now epoch milliseconds */
export function rangeOf(now: number): TimeRange {
  const { days, from, to } = filters.value
  if (from === '' && to === '') {
    return { from: fromMs(now - (days ?? DEFAULT_DAYS) * DAY_MS), to: fromMs(now), isOpen: true }
  }
  return { from: from || undefined, to: to || fromMs(now), isOpen: to === '' }
}

/** Whether any filter is set, not counting the range. */
export function hasFilters(): boolean {
  return countFilters(filters.value) > 0
}

/** The change that shows only events with a value. */
export function onlyThis(name: Excludable, value: string): Partial<Filters> {
  const excluded = filters.value[`exclude_${name}`].filter(other => other !== value)
  return { [name]: name === 'target' ? value : [value], [`exclude_${name}`]: excluded }
}

/** The change that leaves out events with a value. */
export function allButThis(name: Excludable, value: string): Partial<Filters> {
  const chosen = filters.value[name]
  const excluded = filters.value[`exclude_${name}`]
  const isOther = (other: string) => other !== value
  const left = typeof chosen === 'string' ? (isOther(chosen) ? chosen : '') : chosen.filter(isOther)
  return { [name]: left, [`exclude_${name}`]: [...excluded.filter(isOther), value] }
}

/** Clears all filters, keeping the range. */
export function clearFilters(): void {
  setFilters(NO_FILTERS)
}
