import type { Logger } from 'pino'
import { CLOCK_TOLERANCE } from '../../ledger/clock-behind.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'

interface JumpDetectingClockParts {
  /** The wall clock. */
  wall: () => Micros
  /** A monotonic clock with any starting point. */
  elapsed: () => Micros
  logger: Pick<Logger, 'error'>
}

/**
 * The wall clock. Logs an error if, since the last reading, it moved by a day more or less than the elapsed time.
 * Events are recorded anyway, because the clock of a machine that slept for days is right.
 *
 * Source: docs/decisions/0029.
 */
export function jumpDetectingClock({ wall, elapsed, logger }: JumpDetectingClockParts): () => Micros {
  const offset = (now: Micros) => now - elapsed()
  let known = offset(wall())
  return () => {
    const now = wall()
    const jump = offset(now) - known
    known += jump
    if (Math.abs(jump) > CLOCK_TOLERANCE) logger.error(describe(jump, now), 'the clock of this machine jumped')
    return now
  }
}

/** A monotonic clock, in microseconds. */
export function elapsedMicros(): Micros {
  return Math.round(performance.now() * 1000)
}

function describe(jump: Micros, now: Micros) {
  const hours = Math.round(jump / 3_600_000_000)
  const detail =
    jump > 0
      ? 'Unless the machine slept, correct the clock now: events that are recorded until then keep a captured_at in the future, and later ones follow it.'
      : 'Until the clock has reached its earlier value, events are recorded in order, each one microsecond after the previous one.'
  return { jumped_hours: hours, now: toTimestamp(now), detail }
}
