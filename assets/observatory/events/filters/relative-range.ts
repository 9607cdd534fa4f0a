import { DAY, dayOf, fromLocal, fromMs, HOUR, justBefore, MINUTE, toMs, type Zone } from '../../../shared/words/time.js'
import type { RangeFilters } from './filter-params.js'

/** Range of the list if the address has none. */
export const DEFAULT_DAYS = 1
/** Limits of the address and of the API. */
export const MOST_DAYS = 3650
const MOST_MINUTES = 99_999

const RELATIVE = /^(?:today|yesterday|[1-9]\d{0,4}[mh])$/

/** Whether a text names a range that moves with time: `15m`, `6h`, `today`, `yesterday`. */
export function isRelative(text: string): boolean {
  return RELATIVE.test(text)
}

export interface TimeRange {
  /** Undefined: the start of the ledger. */
  from: string | undefined
  to: string
  /** Whether it ends now and moves with the time. */
  isOpen: boolean
}

/** The instants of a range that `isRelative` accepts. @param now epoch milliseconds */
export function relativeRange(last: string, now: number, zone?: Zone): TimeRange {
  const today = toMs(`${dayOf(fromMs(now), zone)}T00:00:00Z`)
  const midnight = fromMs(fromLocal(today, zone))
  if (last === 'yesterday')
    return { from: fromMs(fromLocal(today - DAY, zone)), to: justBefore(midnight), isOpen: false }
  const length = Number(last.slice(0, -1)) * (last.endsWith('h') ? HOUR : MINUTE)
  return { from: last === 'today' ? midnight : fromMs(now - length), to: fromMs(now), isOpen: true }
}

/** The range of a length that ends now, if the length is one of whole minutes. */
export function rollingRange(ms: number): Partial<RangeFilters> | undefined {
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 1 || Math.abs(ms - minutes * MINUTE) > 1000) return undefined
  if (minutes % 1440 === 0) return minutes / 1440 <= MOST_DAYS ? { days: minutes / 1440 } : undefined
  if (minutes > MOST_MINUTES) return undefined
  return { last: minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m` }
}

/** `last 15 minutes`, `last hour`, `last 7 days`, `yesterday` */
export function relativeWords({ last, days }: Partial<RangeFilters>): string {
  if (!last) return (days ?? DEFAULT_DAYS) === 1 ? 'last 24 hours' : `last ${days} days`
  if (!/\d/.test(last)) return last
  const unit = last.endsWith('h') ? 'hour' : 'minute'
  return last.slice(0, -1) === '1' ? `last ${unit}` : `last ${last.slice(0, -1)} ${unit}s`
}
