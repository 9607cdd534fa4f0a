import { signal } from '@preact/signals'

/**
 * Instants as the ledger writes them (`2026-11-20T13:00:00.123456Z`, UTC, six digits) and as people read them. They
 * stay text, are compared as text, and displayed parts are cut from them, so no microsecond is lost.
 */

/** A time zone; absent: the one of the page. Tests pass one. */
export type Zone = string | undefined

/** Zone of all times on the page; undefined: the device's. Set by `appearance.ts`. */
export const shownZone = signal<Zone>(undefined)

/** `Europe/Berlin` */
export const DEVICE_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

const NARROW_SPACE = '\u202f'
/** Milliseconds. */
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** An instant in epoch milliseconds, for arithmetic that does not need microseconds. */
export function toMs(instant: string): number {
  return Date.parse(instant)
}

/** @param ms epoch milliseconds, whole */
export function fromMs(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

/** The instant without its fraction of a second. */
export function fromSeconds(ms: number): string {
  return fromMs(Math.round(ms / SECOND) * SECOND)
}

/** `.204117` */
function fractionOf(instant: string): string {
  const [, digits = ''] = /\.(\d+)/.exec(instant) ?? []
  return `.${digits.padEnd(6, '0').slice(0, 6)}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(instant: string | number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  const timeZone = zone ?? shownZone.value
  const key = `${timeZone}${JSON.stringify(options)}`
  let made = formats.get(key)
  if (!made) {
    made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone })
    formats.set(key, made)
  }
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? String(instant) : made.format(date).replace(',', '')
}

/** `14:31:58` */
export function clockTime(instant: string, zone?: Zone): string {
  return format(instant, zone, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
}

/** `14:31` */
export function shortTime(instant: string, zone?: Zone): string {
  return format(instant, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}

/** The local day, `2026-11-20`; text order is time order. A date can be read from it, also in the years 20 and 10000. */
export function dayOf(instant: string, zone?: Zone): string {
  const [day, month, year] = format(instant, zone, { day: '2-digit', month: '2-digit', year: 'numeric' }).split('/')
  return `${Number(year) > 9999 ? '+0' : ''}${year?.padStart(4, '0')}-${month}-${day}`
}

/** `Fri` */
export function weekday(instant: string, zone?: Zone): string {
  return format(instant, zone, { weekday: 'short' })
}

/** `Friday 20 November`, with the year if it differs from that of `now`. @param day from `dayOf` */
export function dayHeading(day: string, now: number, zone?: Zone): string {
  const year = yearOf(day, now, zone)
  return format(`${day}T12:00:00Z`, 'UTC', { weekday: 'long', day: 'numeric', month: 'long', ...year })
}

/** `20 Nov`, with the year if it differs from that of `now`. */
export function dateWords(instant: string, now: number, zone?: Zone): string {
  const year = yearOf(dayOf(instant, zone), now, zone)
  // Shortens the full month name, because some browsers abbreviate to "Sept".
  return format(instant, zone, { day: 'numeric', month: 'long', ...year }).replace(/([a-z]{3})[a-z]+/i, '$1')
}

function yearOf(day: string, now: number, zone?: Zone): Intl.DateTimeFormatOptions {
  return dayOf(fromMs(now), zone).slice(0, 4) === day.slice(0, 4) ? {} : { year: 'numeric' }
}

/** The page's clock advances in steps, so an event since the last step does not count as in the future. */
const CLOCK_STEP_MS = 12_000

/** `just now`, `2 min ago`, `3 h ago`, within a day; then the date. In the future: `in 2 min`. */
export function relativeTime(instant: string, now: number, zone?: Zone): string {
  const ms = now - toMs(instant)
  if (Number.isNaN(ms)) return instant
  if (Math.abs(ms) >= DAY) return dateWords(instant, now, zone)
  if (Math.abs(ms) < MINUTE) return ms >= -CLOCK_STEP_MS ? 'just now' : 'in less than a minute'
  return ms > 0 ? `${duration(ms, 1)} ago` : `in ${duration(-ms, 1)}`
}

const UNITS = { d: DAY, h: HOUR, min: MINUTE, s: SECOND } as const

/** `2 h 12 min`, `47 min`, `8 s`: truncated, not rounded. @param parts maximum number of units */
export function duration(ms: number, parts = 2): string {
  let left = Math.max(0, ms)
  const words: string[] = []
  const fitting = Object.entries(UNITS).filter(([, unit]) => left >= unit || unit === SECOND)
  for (const [name, unit] of fitting.slice(0, parts)) {
    const amount = Math.floor(left / unit)
    left -= amount * unit
    if (amount > 0 || words.length === 0) words.push(`${amount}${NARROW_SPACE}${name}`)
  }
  return words.join(' ')
}

/** `Friday 20 November 2026, 14:31:58.204117 GMT+1` */
function fullLocalTime(instant: string, zone?: Zone): string {
  const day = format(instant, zone, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const name = format(instant, zone, { timeZoneName: 'short', year: 'numeric' }).replace(/^\d+\s*/, '')
  return `${day}, ${clockTime(instant, zone)}${fractionOf(instant)} ${name}`
}

/** `2026-11-20 13:31:58.204117 UTC` */
function fullUtcTime(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}${fractionOf(instant)} UTC`
}

/** Local and UTC, for tooltips. */
export function exactTime(instant: string, zone: Zone = DEVICE_ZONE): string {
  return `${fullLocalTime(instant, zone)}\n${fullUtcTime(instant)}`
}

/**
 * One microsecond earlier. Missing digits count as zeros, as in the ledger. @param instant UTC, as the ledger writes it
 */
export function justBefore(instant: string): string {
  const micros = Number(fractionOf(instant).slice(1))
  const second = toMs(instant.replace(/\.\d+/, '')) - (micros === 0 ? SECOND : 0)
  return `${fromMs(second).slice(0, 20)}${String((micros + 999_999) % 1_000_000).padStart(6, '0')}Z`
}

/** Offset of a zone from UTC at an instant in epoch milliseconds, in milliseconds. */
export function localOffset(ms: number, zone?: Zone): number {
  const instant = fromMs(ms)
  return toMs(`${dayOf(instant, zone)}T${clockTime(instant, zone)}Z`) - Math.floor(ms / 1000) * 1000
}

/** The instant of a local time. A time that a change of clocks skips is moved forward. @param local as if it were UTC */
export function fromLocal(local: number, zone?: Zone): number {
  const near = local - localOffset(local - localOffset(local, zone), zone)
  return Math.max(near, local - localOffset(near, zone))
}

/** `UTC+1`, `UTC-3:30`, `UTC`. @param offsetMs from `localOffset` */
export function offsetWords(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  if (minutes === 0) return 'UTC'
  const rest = minutes % 60
  return `UTC${offsetMs < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}
