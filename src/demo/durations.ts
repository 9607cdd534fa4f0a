import { type Micros, toTimestamp } from '../model/timestamp.js'

export const SECOND: Micros = 1_000_000
export const MINUTE: Micros = 60 * SECOND
export const HOUR: Micros = 60 * MINUTE
export const DAY: Micros = 24 * HOUR

/** An instant in the form of code hosts, without fraction: `2026-11-20T13:00:00Z`. */
export function toSecondText(at: Micros): string {
  return `${toTimestamp(at).slice(0, 19)}Z`
}

/** An instant in the form of forums: `2026-11-20T13:00:00.123Z`. */
export function toMillisecondText(at: Micros): string {
  return `${toTimestamp(at).slice(0, 23)}Z`
}
