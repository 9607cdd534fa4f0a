import { type Micros, toTimestamp } from '../model/timestamp.js'

/** Clocks are off by seconds and zones by hours: more is a mistake. */
export const CLOCK_TOLERANCE: Micros = 24 * 60 * 60 * 1_000_000

interface ClockWarning {
  code: 'clock_behind'
  detail: string
}

/**
 * Warns of a ledger whose newest event is more than a day ahead of the clock, left by a clock that was once ahead. Until
 * the clock gets there, `captured_at` only increases by microseconds and does not show when events arrive.
 *
 * Source: docs/decisions/0029.
 */
export function clockBehind(head: Micros | null, now: Micros): ClockWarning | undefined {
  if (head === null || head - now <= CLOCK_TOLERANCE) return undefined
  const detail = [
    `The newest event was captured at ${toTimestamp(head)}, but the clock shows ${toTimestamp(now)}.`,
    'Until the clock reaches that time, events are recorded in order, each one microsecond after the one before.',
    'If the clock is wrong, correct it. If it was wrong before, restore a backup of that time or begin a new ledger.',
  ].join(' ')
  return { code: 'clock_behind', detail }
}
