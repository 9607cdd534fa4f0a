import { computed, type ReadonlySignal } from '@preact/signals'
import { type How, queryState } from '../../../shared/server/address.js'
import { fromMs, toMs } from '../../../shared/words/time.js'
import {
  type ApiQuery,
  countFilters,
  DEFAULT_DAYS,
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

/** Moves a start that follows the time to before an earlier event, by as much as the range is long. */
export function extendRange(instant: string): void {
  const { days, from, to } = filters.peek()
  const ms = (days ?? DEFAULT_DAYS) * DAY_MS
  if (from === '' && to === '' && toMs(instant) < Date.now() - ms) {
    setFilters({ from: fromMs(toMs(instant) - ms) }, 'replace')
  }
}

/** Whether any filter is set, not counting the range. */
export function hasFilters(): boolean {
  return countFilters(filters.value) > 0
}

/** Clears all filters, keeping the range. */
export function clearFilters(): void {
  setFilters(NO_FILTERS)
}
