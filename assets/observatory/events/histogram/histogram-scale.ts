/** Offset of local time from UTC at an instant in epoch milliseconds, in milliseconds. */
export type OffsetAt = (ms: number) => number

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const TIME_STEPS = [
  ...[1, 5, 15, 30].map(seconds => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map(hours => hours * HOUR),
  ...[1, 2, 4, 7, 14].map(days => days * DAY),
]
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60]

/** A label of the time axis. */
export interface Tick {
  ms: number
  label: string
}

export interface TicksOf {
  /** Epoch milliseconds. */
  from: number
  to: number
  most: number
  offsetAt: OffsetAt
}

/** Round local times within a range, with labels. */
export function timeTicks({ from, to, most, offsetAt }: TicksOf): Tick[] {
  const step = TIME_STEPS.find(step => (to - from) / step <= most)
  if (step === undefined) return monthTicks({ from, to, most, offsetAt })
  const ticks: Tick[] = []
  // In local time: a day may have 23 or 25 hours.
  const begin = Math.ceil((from + offsetAt(from)) / step) * step
  for (let local = begin; ticks.length <= most; local += step) {
    const ms = toUtc(local, offsetAt)
    if (ms > to) break
    if (ms >= from) ticks.push({ ms, label: tickLabel(local, step) })
  }
  return ticks
}

function monthTicks({ from, to, most, offsetAt }: TicksOf): Tick[] {
  const months = (to - from) / (30 * DAY)
  const step = MONTH_STEPS.find(step => months / step <= most) ?? Math.ceil(months / most)
  const begin = new Date(from + offsetAt(from))
  const first = begin.getUTCFullYear() * 12 + begin.getUTCMonth()
  const ticks: Tick[] = []
  for (let month = Math.ceil(first / step) * step; ticks.length <= most; month += step) {
    const local = Date.UTC(Math.floor(month / 12), month % 12)
    const ms = toUtc(local, offsetAt)
    if (ms > to) break
    const label = month % 12 === 0 ? String(month / 12) : (MONTHS[month % 12] ?? '')
    if (ms >= from) ticks.push({ ms, label })
  }
  return ticks
}

function toUtc(local: number, offsetAt: OffsetAt): number {
  return local - offsetAt(local - offsetAt(local))
}

/** @param local local time as if it were UTC */
function tickLabel(local: number, step: number): string {
  const date = new Date(local)
  if (step >= DAY) return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
  if (local % DAY === 0) return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()}`
  return date.toISOString().slice(11, step < MINUTE ? 19 : 16)
}

export interface Span {
  /** Epoch milliseconds; `to` is exclusive. */
  from: number
  to: number
}

/** `Fri 13:00 – 13:15`, with the date unless within a week of `now`. */
export function spanWords({ from, to }: Span, now: number, offsetAt: OffsetAt): string {
  const [begin, end, last] = [from, to, to - 1].map(ms => ms + offsetAt(ms)) as [number, number, number]
  const isRecent = Math.abs(now - from) < 6 * DAY
  const day = (local: number) => {
    const date = new Date(local)
    const long = `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
    const isThisYear = date.getUTCFullYear() === new Date(now + offsetAt(now)).getUTCFullYear()
    return isThisYear ? long : `${long} ${date.getUTCFullYear()}`
  }
  const isSameDay = Math.floor(begin / DAY) === Math.floor(last / DAY)
  if (begin % DAY === 0 && end % DAY === 0) return isSameDay ? day(begin) : `${day(begin)} – ${day(last)}`
  const isFine = begin % MINUTE !== 0 || end % MINUTE !== 0
  const time = (local: number) => new Date(local).toISOString().slice(11, isFine ? 19 : 16)
  const named = isRecent ? (local: number) => String(DAYS[new Date(local).getUTCDay()]) : day
  if (isSameDay) return `${named(begin)} ${time(begin)} – ${time(end)}`
  return `${named(begin)} ${time(begin)} – ${named(last)} ${time(end)}`
}

const NICE = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8]

/** Heights of three grid lines, whole numbers; the last is the top. @param highest of all bars */
export function heightTicks(highest: number): [number, number, number] {
  const half = Math.max(1, highest / 2)
  const power = 10 ** Math.floor(Math.log10(half))
  const nice = NICE.map(times => times * power).find(step => step >= half && Number.isInteger(step)) ?? 10 * power
  return [0, nice, 2 * nice]
}

/** `40`, `1.5k`: there is little room next to the bars. */
export function heightLabel(height: number): string {
  for (const [unit, name] of [
    [1_000_000, 'M'],
    [1_000, 'k'],
  ] as const) {
    if (height >= unit) return `${Number((height / unit).toFixed(1))}${name}`
  }
  return String(height)
}

/** A band of a bar: its lower and upper edge. */
export interface Band {
  from: number
  to: number
}

export interface StackOptions {
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
