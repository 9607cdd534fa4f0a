/**
 * Instants, as UTC text of fixed width (`2026-11-20T13:00:00.123456Z`) or as integer microseconds since the epoch.
 *
 * Never `Date`: it keeps only milliseconds. With a checkpoint cut to milliseconds, an event would be delivered again
 * forever.
 */
import { AppError } from './app-error.js'

/** Integer microseconds since 1970-01-01T00:00:00Z. Exact up to the year 2255, clamped beyond. */
export type Micros = number

export interface Instant {
  /** UTC, six fraction digits, `Z`: text order is time order. */
  text: string
  micros: Micros
}

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:([Zz])|([+-])(\d\d):(\d\d))$/
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/
const PLUS_BECAME_SPACE = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)? \d\d:?\d\d$/
const MAX_LENGTH = 64

/**
 * Reads an RFC 3339 timestamp with a zone. Any number of fraction digits is accepted and cut (downwards) to six.
 *
 * @param field the query parameter or JSON pointer that an error names
 * @throws AppError `invalid/invalid_timestamp`
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events" and "Errors": the zone is required.
 */
export function readTimestamp(field: string, value: unknown): Instant {
  const read = parse(value)
  if (typeof read === 'string') throw refused(field, read)
  return read
}

/** The refusal of a text that `readTimestamp` refuses, if it does. The schema of the input refuses other values. */
export function timestampRefusals(field: string, value: unknown): AppError[] {
  const read = typeof value === 'string' ? parse(value) : undefined
  return typeof read === 'string' ? [refused(field, read)] : []
}

/** Reads a timestamp as `readTimestamp` does. @returns undefined for any other value */
export function findTimestamp(value: unknown): Instant | undefined {
  const read = parse(value)
  return typeof read === 'string' ? undefined : read
}

/** @returns the instant, or the reason why the value is invalid */
function parse(value: unknown): Instant | string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return 'must be a timestamp with a zone'
  const match = PATTERN.exec(value)
  if (!match) return reasonNotMatched(value)
  const part = (at: number) => Number(match[at] ?? 0)
  const [hour, minute, second] = [part(4), part(5), part(6)]
  const [offsetHour, offsetMinute] = [part(10), part(11)]
  if (offsetHour > 23 || offsetMinute > 59) return 'has an impossible zone'
  if (hour > 23 || minute > 59 || second > 59) return 'has an impossible time'
  if (!isCalendarDay(part(1), part(2), part(3))) return 'is not a day of the calendar'

  const offset = (offsetHour * 3600 + offsetMinute * 60) * (match[9] === '-' ? -1 : 1)
  const seconds = toDayNumber(part(1), part(2), part(3)) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return 'is outside the years 1 to 9999'
  const six = `${match[7] ?? ''}000000`.slice(0, 6)
  return { text: `${toSecond(seconds)}${six}Z`, micros: clamp(seconds * 1_000_000 + Number(six)) }
}

const DAY_SECONDS = 86_400
/** 0001-01-01T00:00:00Z */
const FIRST_SECOND = -62_135_596_800
/** 9999-12-31T23:59:59Z */
const LAST_SECOND = 253_402_300_799

/** Cache of the last rendered second: instants arrive in bursts, and most share their second with the previous one. */
let lastSecond = Number.NaN
let lastSecondText = ''

/**
 * Renders microseconds as UTC text of fixed width.
 *
 * Source of the calendar arithmetic: the proleptic Gregorian calendar in 400-year eras that begin on 1 March.
 */
export function toTimestamp(micros: Micros): string {
  const seconds = Math.floor(micros / 1_000_000)
  if (seconds !== lastSecond) {
    lastSecondText = toSecond(seconds)
    lastSecond = seconds
  }
  return `${lastSecondText}${String(1_000_000 + micros - seconds * 1_000_000).slice(1)}Z`
}

export function timestampOrNull(micros: Micros | null): string | null {
  return micros === null ? null : toTimestamp(micros)
}

/** `2031-05-04T09:00:00.` */
function toSecond(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS)
  const second = seconds - days * DAY_SECONDS
  const time = `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`
  return `${toCalendarDay(days)}T${time}.`
}

/** @returns days since 1970-01-01 */
function toDayNumber(year: number, month: number, day: number): number {
  const yearFromMarch = month <= 2 ? year - 1 : year
  const era = Math.floor(yearFromMarch / 400)
  const yearOfEra = yearFromMarch - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** @param days since 1970-01-01 */
function toCalendarDay(days: number): string {
  const sinceYearZero = days + 719_468 // from 0000-03-01
  const era = Math.floor(sinceYearZero / 146_097)
  const dayOfEra = sinceYearZero - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

function clamp(micros: number): Micros {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, micros))
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return year >= 1 && days !== undefined && day >= 1 && day <= days
}

function reasonNotMatched(value: string): string {
  if (PLUS_BECAME_SPACE.test(value)) return 'has no zone (a "+" arrived as a space: write it as %2B)'
  if (WITHOUT_ZONE.test(value)) return 'has no zone'
  return 'must be a timestamp with a zone'
}

function refused(field: string, reason: string): AppError {
  const detail = `${field} ${reason}. Write it like 2031-05-04T09:00:00Z.`
  return new AppError('invalid', 'invalid_timestamp', detail, { errors: [{ field, detail }] })
}
