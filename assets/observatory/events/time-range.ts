import { fromMs, toMs } from '../../shared/time.js'
import type { EventHistogram } from '../../shared/wire.js'
import { DEFAULT_DAYS } from './filter-params.js'
import { rangeOf, setFilters } from './filters.js'
import { moved } from './histogram-buckets.js'
import { justBefore } from './instants.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Narrows the range to some parts of the histogram; browser back widens it again. With its last part a range that goes
 * on with time goes on.
 *
 * @param first index of a part
 * @param last the same or a later one
 */
export function narrowTo({ starts, to }: EventHistogram, first: number, last: number): void {
  const from = starts[first]
  const next = starts[last + 1]
  const goesOn = next === undefined && rangeOf(Date.now()).isOpen
  if (from === undefined || to === null) return
  // The first part may begin before the range does.
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
  if (toMs(end) < present) return setFilters({ from: begin, to: end }, 'push')
  // It reaches now, and goes on with it.
  const days = begin === '' ? 0 : (present - toMs(begin)) / DAY_MS
  const isPreset = Math.abs(days - Math.round(days)) * DAY_MS < HOUR_MS && Math.round(days) >= 1
  if (!isPreset) return setFilters({ from: begin === '' ? fromMs(0) : begin, to: '' }, 'push')
  const whole = Math.round(days)
  setFilters({ from: '', to: '', days: whole === DEFAULT_DAYS ? undefined : whole }, 'push')
}
