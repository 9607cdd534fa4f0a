import {
  DAY,
  fromLocal,
  fromMs,
  HOUR,
  justBefore,
  localOffset,
  MINUTE,
  toMs,
  type Zone,
} from '../../../shared/words/time.js'
import { moved } from '../histogram/histogram-buckets.js'
import { INSTANT, type RangeFilters } from './filter-params.js'
import { isRelative, rollingRange } from './relative-range.js'

const UNITS = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY } as const
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
]

interface ReadOptions {
  /** Epoch milliseconds. */
  now: number
  zone?: Zone
}

/**
 * Reads a range as people write it: `last 3 hours`, `yesterday 14:00–15:00`, `2026-11-20 14:00 to 15:30`, `fri`,
 * `since 9:00`. Times are in 24-hour form. The end is not included, unless it is an instant with its zone.
 *
 * @returns undefined if the text cannot be read, or the range has no length
 */
export function readRange(text: string, options: ReadOptions): Partial<RangeFilters> | undefined {
  const plain = text.toLowerCase().replace(/[–—]|\.\./g, ' to ')
  const words = plain.split(/\s/).filter(Boolean).join(' ')
  if (isRelative(words)) return { last: words }
  const [, amount, unit] = /^(?:last |past )?(\d{0,5}) ?(m|h|d|w|mins?|minutes?|hours?|days?|weeks?)$/.exec(words) ?? []
  if (unit) return rollingRange(Number(amount || 1) * UNITS[unit.charAt(0) as keyof typeof UNITS])
  // The hyphen of an instant belongs to its zone.
  const parted = /\dt\d/.test(words) ? words : words.replace(/(?<=:\d\d)-(?=\d)/, ' to ')
  const [first = '', second, third] = ` ${parted} `.split(/ (?:to|until|-) /).map(part => part.trim())
  const begin = readMoment(first.replace(/^(?:from|since) /, ''), options)
  if (third !== undefined || (first !== '' && !INSTANT.test(begin?.instant ?? ''))) return undefined
  if (second === undefined) {
    if (begin && first.startsWith('since ')) return { from: begin.instant, to: '' }
    return begin?.kind === 'day' ? between(begin, begin, options) : undefined
  }
  if (second === 'now') return begin && toMs(begin.instant) < options.now ? { from: begin.instant, to: '' } : undefined
  const end = readMoment(second, options, begin?.local)
  return end && between(begin, end, options)
}

interface Moment {
  /** Local time as if it were UTC, in milliseconds. */
  local: number
  instant: string
  /** The form of the text: a day, a time of a day given elsewhere, both, or an instant with its zone. */
  kind: 'day' | 'time' | 'both' | 'instant'
}

function between(begin: Moment | undefined, end: Moment, { zone }: ReadOptions): Partial<RangeFilters> | undefined {
  const { kind, local } = end
  const isNextDay = kind === 'day' || (kind === 'time' && begin !== undefined && local <= begin.local)
  const limit = fromMs(fromLocal(local + (isNextDay ? DAY : 0), zone))
  const to = kind === 'instant' ? end.instant : justBefore(limit)
  // In some zones the year 9999 ends in the year 10000, which has no such form.
  return !INSTANT.test(to) || (begin && begin.instant > to) ? undefined : { from: begin?.instant ?? '', to }
}

/** @param near the local time whose day counts if the text has none; absent: today */
function readMoment(words: string, { now, zone }: ReadOptions, near?: number): Moment | undefined {
  const localOf = (ms: number) => ms + localOffset(ms, zone)
  const written = words.toUpperCase()
  if (INSTANT.test(written)) {
    const ms = toMs(written)
    return Number.isNaN(ms) ? undefined : { local: localOf(ms), instant: moved(written, 0), kind: 'instant' }
  }
  const at = words.search(/(?:^|[ t])\d{1,2}:\d\d(?::\d\d)?$/)
  const dayWords = at === -1 ? words : words.slice(0, at)
  const today = dayAt(localOf(now))
  const day = dayWords === '' && at !== -1 ? dayAt(near ?? today) : readDay(dayWords, today)
  const [hours = 0, minutes = 0, seconds = 0] =
    at === -1 ? [] : words.slice(at).replace(/^\D/, '').split(':').map(Number)
  if (day === undefined || minutes > 59 || seconds > 59) return undefined
  const time = ((hours * 60 + minutes) * 60 + seconds) * 1000
  if (time > DAY) return undefined
  const local = day + time
  return { local, instant: fromMs(fromLocal(local, zone)), kind: at === -1 ? 'day' : dayWords === '' ? 'time' : 'both' }
}

function dayAt(local: number): number {
  return Math.floor(local / DAY) * DAY
}

/** @returns its start, local time as if it were UTC */
function readDay(words: string, today: number): number | undefined {
  if (words === 'today') return today
  if (words === 'yesterday') return today - DAY
  const weekday = words.length < 3 ? -1 : WEEKDAYS.findIndex(name => name.startsWith(words))
  if (weekday !== -1) return today - ((new Date(today).getUTCDay() - weekday + 7) % 7) * DAY
  const [, year, month, date] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(words) ?? []
  if (year) return dayOf(Number(year), Number(month) - 1, Number(date))
  const [, named, name = '', ofYear] = /^(\d\d?) ([a-z]{3,9})(?: (\d{4}))?$/.exec(words) ?? []
  const index = named ? MONTHS.findIndex(month => month.startsWith(name)) : -1
  if (index === -1) return undefined
  const thisYear = new Date(today).getUTCFullYear()
  const found = dayOf(Number(ofYear ?? thisYear), index, Number(named))
  return ofYear === undefined && (found ?? 0) > today ? dayOf(thisYear - 1, index, Number(named)) : found
}

function dayOf(year: number, month: number, date: number): number | undefined {
  const day = Date.UTC(year, month, date)
  const written = new Date(day)
  return year >= 1970 && written.getUTCMonth() === month && written.getUTCDate() === date ? day : undefined
}
