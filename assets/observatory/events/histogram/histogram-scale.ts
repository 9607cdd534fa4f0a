import {
  clockTime,
  DAY,
  dateWords,
  dayOf,
  fromLocal,
  fromMs,
  HOUR,
  localOffset,
  MINUTE,
  SECOND,
  shortTime,
  weekday,
  type Zone,
} from '../../../shared/words/time.js'

const TIME_STEPS = [
  ...[1, 5, 15, 30].map(seconds => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map(hours => hours * HOUR),
  ...[1, 2, 4, 7, 14].map(days => days * DAY),
]
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60]

interface Tick {
  ms: number
  label: string
}

interface TicksOf {
  /** Epoch milliseconds. */
  from: number
  to: number
  most: number
  zone?: Zone
}

/** Round local times within a range, with labels. */
export function timeTicks(range: TicksOf): Tick[] {
  const { from, to, most, zone } = range
  const step = TIME_STEPS.find(step => (to - from) / step <= most)
  if (step === undefined) return monthTicks(range)
  // In local time: a day may have 23 or 25 hours.
  const begin = Math.ceil((from + localOffset(from, zone)) / step) * step
  const times = Array.from({ length: most + 1 }, (_, at) => begin + at * step)
  return ticksAt(times, range, local => tickLabel(local, step))
}

function monthTicks(range: TicksOf): Tick[] {
  const { from, to, most, zone } = range
  const months = (to - from) / (30 * DAY)
  const step = MONTH_STEPS.find(step => months / step <= most) ?? Math.ceil(months / most)
  const begin = new Date(from + localOffset(from, zone))
  const first = Math.ceil((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / step) * step
  const times = Array.from({ length: most + 1 }, (_, at) => {
    const month = first + at * step
    return Date.UTC(Math.floor(month / 12), month % 12)
  })
  return ticksAt(times, range, local => {
    const date = new Date(local)
    return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : (monthAndDay(local)[1] ?? '')
  })
}

/** @param times local times as if they were UTC */
function ticksAt(times: readonly number[], { from, to, zone }: TicksOf, labelOf: (local: number) => string): Tick[] {
  return times
    .map(local => ({ ms: fromLocal(local, zone), label: labelOf(local) }))
    .filter(({ ms }) => ms >= from && ms <= to)
}

/** @param local local time as if it were UTC */
function tickLabel(local: number, step: number): string {
  const instant = fromMs(local)
  if (step >= DAY) return monthAndDay(local).join(' ')
  if (local % DAY === 0) return `${weekday(instant, 'UTC')} ${new Date(local).getUTCDate()}`
  return step < MINUTE ? clockTime(instant, 'UTC') : shortTime(instant, 'UTC')
}

/** `20`, `Nov` */
function monthAndDay(local: number): string[] {
  return dateWords(fromMs(local), local, 'UTC').split(' ')
}

interface Span {
  /** Epoch milliseconds; `to` is exclusive. */
  from: number
  to: number
}

/** `Fri 13:00 – 13:15`, with the date unless within a week of `now`. */
export function spanWords({ from, to }: Span, now: number, zone?: Zone): string {
  const [begin, end, last] = [from, to, to - 1].map(fromMs) as [string, string, string]
  const isFine = [from, to].some(ms => ms % MINUTE !== 0)
  const isRecent = Math.abs(now - from) < 6 * DAY
  const time = (instant: string) => (isFine ? clockTime : shortTime)(instant, zone)
  const day = (instant: string) => `${weekday(instant, zone)} ${dateWords(instant, now, zone)}`
  const named = (instant: string) => (isRecent ? weekday(instant, zone) : day(instant))
  const isSameDay = dayOf(begin, zone) === dayOf(last, zone)
  const isWholeDays = !isFine && time(begin) === '00:00' && time(end) === '00:00'
  if (isWholeDays) return isSameDay ? day(begin) : `${day(begin)} – ${day(last)}`
  return `${named(begin)} ${time(begin)} – ${isSameDay ? '' : `${named(last)} `}${time(end)}`
}

const NICE = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8]

/** Heights of three grid lines, whole numbers; the last is the top. @param highest of all bars */
export function heightTicks(highest: number): [number, number, number] {
  const half = Math.max(1, highest / 2)
  const power = 10 ** Math.floor(Math.log10(half))
  const nice = NICE.map(times => times * power).find(step => step >= half && Number.isInteger(step)) ?? 10 * power
  return [0, nice, 2 * nice]
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `40`, `1.5K`: there is little room next to the bars. */
export function heightLabel(height: number): string {
  return COMPACT.format(height)
}

interface Band {
  from: number
  to: number
}

interface StackOptions {
  /** Pixels per event. */
  scale: number
  /** Pixels between two bands, and the minimum height of a band. */
  unit: number
}

/** The bands of one bar, from bottom to top, on whole pixels. Every non-zero count is visible. */
export function stackBands(values: readonly number[], { scale, unit }: StackOptions): Band[] {
  let sum = 0
  let free = 0
  return values.map(value => {
    const from = Math.max(free, Math.round(sum * scale))
    sum += value
    if (value <= 0) return { from, to: from }
    const to = Math.max(from + unit, Math.round(sum * scale))
    free = to + unit
    return { from, to }
  })
}
