import type { EventHistogram } from '../../../shared/server/wire.js'
import { fromMs, justBefore, toMs } from '../../../shared/words/time.js'
import { moved } from '../histogram/histogram-buckets.js'
import { DEFAULT_DAYS, type Filters } from './filter-params.js'
import { rangeOf, setFilters } from './filters.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** An end this close to now counts as now. */
const NOW_MS = 600_000

/**
 * Narrows the range to some parts of the histogram; the back button widens it again. If the range is open and its last
 * part is included, it stays open.
 *
 * @param first index of a part
 * @param last the same or a later one
 */
export function narrowTo({ starts, to }: EventHistogram, first: number, last: number): void {
  const from = starts[first]
  const next = starts[last + 1]
  const goesOn = next === undefined && rangeOf(Date.now()).isOpen
  if (from === undefined || to === null) return
  // The first part may start before the range.
  const { from: begin } = rangeOf(Date.now())
  const isWhole = first === 0 && begin !== undefined && toMs(begin) > toMs(from)
  setFilters({ from: isWhole ? begin : from, to: goesOn ? '' : next === undefined ? to : justBefore(next) }, 'push')
}

/** Moves the range by an hour, at most up to now. @param step 1 is newer */
export function shiftRange(step: 1 | -1): void {
  const present = Date.now()
  const { from, to, isOpen } = rangeOf(present)
  if (isOpen && step === 1) return
  const end = moved(to, step * HOUR_MS)
  const begin = from === undefined ? '' : moved(from, step * HOUR_MS)
  setFilters(toMs(end) < present - NOW_MS ? { from: begin, to: end } : upToNow(begin, present), 'push')
}

/** An open range, as a number of days if its length allows. */
function upToNow(from: string, present: number): Partial<Filters> {
  if (from === '') return { from: fromMs(0), to: '' }
  const days = Math.round((present - toMs(from)) / DAY_MS)
  const isWhole = days >= 1 && Math.abs(present - toMs(from) - days * DAY_MS) < HOUR_MS
  return isWhole ? { from: '', to: '', days: days === DEFAULT_DAYS ? undefined : days } : { from, to: '' }
}
