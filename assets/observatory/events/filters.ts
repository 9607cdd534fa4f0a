import { computed, type ReadonlySignal } from '@preact/signals'
import { type How, queryState } from '../../shared/address.js'
import { fromMs } from '../../shared/time.js'
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

/** What the address says. */
export const filters: ReadonlySignal<Filters> = state.value

/**
 * Changes some of it. `push` for what people choose, so that the browser's back undoes it; `replace` for what they
 * are still typing, and for what only follows.
 */
export function setFilters(change: Partial<Filters>, how: How = 'push'): void {
  state.set(withChange(filters.peek(), change), how)
}

/** The query with the change, for a link. */
export function filtersQuery(change: Partial<Filters>): URLSearchParams {
  return state.query(withChange(filters.value, change))
}

const query = computed(() => JSON.stringify(toApiQuery(filters.value)))

/** The filters and the range, as the API takes them. Changes only when they do: not with the open event, or Live. */
export const queryKey: ReadonlySignal<string> = query

export function apiQuery(): ApiQuery {
  return JSON.parse(query.value) as ApiQuery
}

export interface TimeRange {
  /** Undefined: the ledger's beginning. */
  from: string | undefined
  to: string
  /** It ends now, and goes on. */
  isOpen: boolean
}

/** The instants that the range spans. @param now epoch milliseconds */
export function rangeOf(now: number): TimeRange {
  const { days, from, to } = filters.value
  if (from === '' && to === '') {
    return { from: fromMs(now - (days ?? DEFAULT_DAYS) * DAY_MS), to: fromMs(now), isOpen: true }
  }
  return { from: from || undefined, to: to || fromMs(now), isOpen: to === '' }
}

/** Something is looked for, the range aside. */
export function hasFilters(): boolean {
  return countFilters(filters.value) > 0
}

/** Everything, in the same range. */
export function clearFilters(): void {
  setFilters(NO_FILTERS)
}
