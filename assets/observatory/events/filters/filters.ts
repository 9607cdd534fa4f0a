import { computed, type ReadonlySignal } from '@preact/signals'
import { type HistoryUpdate, href, queryState } from '../../../shared/address.js'
import { copyWithToast } from '../../../shared/controls/copy.js'
import { now } from '../../../shared/words/now.js'
import { DAY, fromMs, toMs } from '../../../shared/words/time.js'
import {
  type ApiQuery,
  countFilters,
  type Excludable,
  FILTER_PARAMS,
  type Filters,
  NO_FILTERS,
  NO_RANGE,
  type RangeFilters,
  toApiQuery,
  withChange,
} from './filter-params.js'
import { DEFAULT_DAYS, relativeRange, type TimeRange } from './relative-range.js'

const state = queryState<Filters>(FILTER_PARAMS)

export const filters: ReadonlySignal<Filters> = state.value

/**
 * Changes some filters. `push` for choices, so that the back button undoes them; `replace` while typing and for derived
 * changes.
 */
export function setFilters(change: Partial<Filters>, how: HistoryUpdate = 'push'): void {
  state.set(withChange(filters.peek(), change), how)
}

export function filtersQuery(change: Partial<Filters>): URLSearchParams {
  return state.query(withChange(filters.value, change))
}

/** Shows another range. The default is not written to the address. */
export function setRange(range: Partial<RangeFilters>): void {
  setFilters({ ...NO_RANGE, ...range, days: range.days === DEFAULT_DAYS ? undefined : range.days })
}

/**
 * Filters and range as JSON. It changes only with them, not with the open event, Live or the time; if the range is a
 * day, also at midnight.
 */
export const queryKey: ReadonlySignal<string> = computed(() => {
  const { last } = filters.value
  const isRolling = /\d/.test(last)
  return JSON.stringify({
    ...toApiQuery(isRolling ? { ...filters.value, last: '' } : filters.value, last === '' ? 0 : now.value),
    ...(isRolling ? { last } : {}),
  })
})

/** Filters and range as the API accepts them. */
export function apiQuery(): ApiQuery {
  // Subscribes a caller that observes signals to the query.
  queryKey.value
  return toApiQuery(filters.peek())
}

/** The instants of the current range, or of another. @param now epoch milliseconds */
export function rangeOf(now: number, range: Partial<RangeFilters> = filters.value): TimeRange {
  const { days, last, from, to } = { ...NO_RANGE, ...range }
  if (last !== '') return relativeRange(last, now)
  if (from === '' && to === '') {
    return { from: fromMs(now - (days ?? DEFAULT_DAYS) * DAY), to: fromMs(now), isOpen: true }
  }
  return { from: from || undefined, to: to || fromMs(now), isOpen: to === '' }
}

export const isOpenRange: ReadonlySignal<boolean> = computed(
  () => filters.value.to === '' && filters.value.last !== 'yesterday',
)

/** Moves the start of a relative range to one length of the range before an event, if the event is earlier. */
export function extendRange(instant: string): void {
  const present = Date.now()
  const { from, isOpen } = rangeOf(present, filters.peek())
  if (filters.peek().from !== '' || !isOpen || from === undefined || instant >= from) return
  setFilters({ from: fromMs(toMs(instant) - (present - toMs(from))) }, 'replace')
}

export function hasFilters(): boolean {
  return countFilters(filters.value) > 0
}

/** The change that shows only events with a value. */
export function onlyValue(name: Excludable, value: string): Partial<Filters> {
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

export function clearFilters(): void {
  setFilters(NO_FILTERS)
}

/** Address of this view with the event open, without Live. */
export function eventLink(key: string): string {
  return location.origin + href('/', filtersQuery({ event: key, live: false }))
}

/** @param key of an event; empty for the view without an event */
export async function copyLink(key: string): Promise<void> {
  await copyWithToast(eventLink(key), 'Link copied.')
}
