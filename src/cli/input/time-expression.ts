import { AppError } from '../../model/app-error.js'
import { findTimestamp, toTimestamp } from '../../model/timestamp.js'

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const
const DURATION = /^(?:\d{1,6}[smhdw])+$/
const PART = /(\d{1,6})([smhdw])/g
const DAY = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d))?)?$/

interface TimeZoneChoice {
  /** Whether days and times without a zone are in this machine's zone, rather than UTC. */
  isLocal: boolean
  /** Epoch milliseconds. */
  now?: number
}

/**
 * Reads a time as users write it: RFC 3339 with a zone, a day or time without one (`2026-11-20`, `2026-11-20 09:30`),
 * an age (`90s`, `15m`, `6h`, `7d`, `2w`, `1h30m`), `now`, `today` or `yesterday`.
 *
 * @param flag its name in an error
 * @returns RFC 3339; a text with a zone stays unchanged
 * @throws AppError `invalid/wrong_usage`
 */
export function readTime(flag: string, text: string, { isLocal, now = Date.now() }: TimeZoneChoice): string {
  if (findTimestamp(text)) return text
  const seconds = findDuration(text)
  if (seconds !== undefined) return toText(now - seconds * 1_000)
  if (text === 'now') return toText(now)
  const back = ['today', 'yesterday'].indexOf(text)
  if (back !== -1) return toText(startOfDay(now, back, isLocal))
  const day = findDay(text, isLocal)
  if (day !== undefined) return toText(day)
  const hint = 'Write it like 1h, yesterday, 2026-11-20 or 2026-11-20T09:00:00Z.'
  throw new AppError('invalid', 'wrong_usage', `${flag} is not a time: ${JSON.stringify(text.slice(0, 80))}.`, { hint })
}

/** @returns seconds. @throws AppError `invalid/wrong_usage` */
export function readDuration(flag: string, text: string): number {
  const seconds = findDuration(text)
  if (seconds !== undefined) return seconds
  throw new AppError('invalid', 'wrong_usage', `${flag} is a number with a unit: 90s, 15m, 6h, 7d, 2w.`)
}

function findDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined
  let seconds = 0
  for (const [, count, unit] of text.matchAll(PART)) seconds += Number(count) * SECONDS[unit as keyof typeof SECONDS]
  return seconds
}

function startOfDay(now: number, daysBack: number, isLocal: boolean): number {
  const date = new Date(now)
  return isLocal
    ? new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBack).getTime()
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - daysBack)
}

function findDay(text: string, isLocal: boolean): number | undefined {
  const match = DAY.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(part => Number(part ?? 0))
  // Refuses days that do not exist, such as 30 February, instead of using another day.
  if (!findTimestamp(`${text.slice(0, 10)}T${two(hour)}:${two(minute)}:${two(second)}Z`)) return undefined
  return isLocal
    ? new Date(year, month - 1, day, hour, minute, second).getTime()
    : Date.UTC(year, month - 1, day, hour, minute, second)
}

function toText(milliseconds: number): string {
  return toTimestamp(milliseconds * 1_000)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
