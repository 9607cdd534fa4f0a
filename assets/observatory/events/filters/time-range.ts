import type { EventHistogram } from '#model/ledger-answers'
import { fromMs, HOUR, justBefore, MINUTE, toMs } from '../../../shared/words/time.js'
import { moved } from '../histogram/histogram-buckets.js'
import { rangeOf, setFilters, setRange } from './filters.js'
import { rollingRange } from './relative-range.js'

/** An end this close to now counts as now. */
const NOW_MS = 10 * MINUTE
/** Lengths of the steps of zooming out: 15 minutes to 10 years. */
const LENGTHS = [0.25, 1, 6, 24, 72, 168, 720, 2160, 8760, 87_600].map(hours => hours * HOUR)

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
  const end = moved(to, step * HOUR)
  const begin = from === undefined ? '' : moved(from, step * HOUR)
  if (toMs(end) < present - NOW_MS) setRange({ from: begin, to: end })
  else setRange((from && rollingRange(lengthOf(from, to))) || { from: begin || fromMs(0) })
}

/** Widens the range to the next longer length: around its middle, at most up to now. @param isBack keeps its end */
export function zoomOut(isBack = false): void {
  const present = Date.now()
  const { from, to, isOpen } = rangeOf(present)
  if (from === undefined) return
  const length = lengthOf(from, to)
  const wider = LENGTHS.find(wider => wider > length * 1.1)
  if (wider === undefined) return
  const end = isOpen ? present : toMs(to) + 1 + (isBack ? 0 : Math.round((wider - length) / 2))
  if (end < present - NOW_MS) setRange({ from: fromMs(end - wider), to: justBefore(fromMs(end)) })
  else setRange(rollingRange(wider) ?? {})
}

/** Milliseconds; `to` is inclusive to its last microsecond. */
function lengthOf(from: string, to: string): number {
  return toMs(to) + 1 - toMs(from)
}
