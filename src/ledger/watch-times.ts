import { AppError } from '../model/app-error.js'
import type { Subscription } from '../model/subscription.js'
import { type Micros, readTimestamp } from '../model/timestamp.js'
import { watchedPlaceOf } from '../platforms/chat/capture/watched-place.js'

/** Capture modes of a watch that is to be asked about, again and again. */
const POLLING: readonly string[] = ['api_cursor', 'poll']
const SECOND: Micros = 1_000_000
const DEFAULT_INTERVAL_SECONDS = 60
/** A year: later instants may have no text. */
const LONGEST_INTERVAL_SECONDS = 31_536_000
/** How much less often a watch is polled once it is no longer hot, and how often at most. */
const COOLED = { times: 10, leastSeconds: 300 }

type Watch = Pick<Subscription, 'enabled' | 'metadata' | 'capture'>

/** Whether it is meant to be captured again and again. */
export function asksForCapture({ capture_modes }: Pick<Subscription, 'capture_modes'>): boolean {
  return capture_modes.some(mode => POLLING.includes(mode))
}

/** Whether there is something to ask for: only the chat platform can be asked, and for a topic or a stream only. */
export function canBeCaptured(watch: Pick<Subscription, 'source' | 'target' | 'scope' | 'filters'>): boolean {
  return watch.source === 'chat' && watchedPlaceOf(watch) !== undefined
}

/** Whether capture is to come back to it by itself. */
export function isPolled(watch: Subscription): boolean {
  return asksForCapture(watch) && canBeCaptured(watch)
}

/** Why nothing is to be captured for it any more, if so. */
export function whyOver({ enabled, metadata }: Watch, now: Micros): 'disabled' | 'expired' | undefined {
  if (!enabled) return 'disabled'
  return expiresAt(metadata) <= now ? 'expired' : undefined
}

/** Infinity for a watch without end. */
export function expiresAt({ expires_at }: Subscription['metadata']): Micros {
  return instantOf(expires_at) ?? Number.POSITIVE_INFINITY
}

/**
 * When a watch is to be captured again: `interval_seconds` after the last time while it is hot, afterwards ten times
 * that, at least five minutes. One that was never captured is due at once, and so is one whose last capture broke off in
 * the middle. No watch is due before the wait is over that the chat server has told.
 *
 * Source: decisions, section 6.
 */
export function dueAt(watch: Pick<Watch, 'metadata' | 'capture'>, now: Micros): Micros {
  return Math.max(instantOf(watch.capture?.wait_until) ?? 0, intervalEnd(watch, now))
}

function intervalEnd({ metadata, capture }: Pick<Watch, 'metadata' | 'capture'>, now: Micros): Micros {
  const last = instantOf(capture?.last_attempt_at)
  if (last === undefined || brokeOff(capture)) return now
  const interval = intervalOf(metadata)
  const hotUntil = instantOf(metadata.hot_until) ?? Number.POSITIVE_INFINITY
  const seconds = now < hotUntil ? interval : Math.max(interval * COOLED.times, COOLED.leastSeconds)
  return last + seconds * SECOND
}

/** Where capture has read to. Before it kept its own place, the cursor was it. Null: nothing yet. */
export function readToOf({ capture, last_cursor }: Pick<Subscription, 'capture' | 'last_cursor'>): string | null {
  return capture?.read_to === undefined ? last_cursor : capture.read_to
}

/** Whatever ended has said how. */
function brokeOff(capture: Subscription['capture']): boolean {
  const { last_attempt_at, last_success_at, last_error } = capture ?? {}
  return !last_error && (last_success_at ?? '') < (last_attempt_at ?? '')
}

function intervalOf({ interval_seconds: seconds }: Subscription['metadata']): number {
  return typeof seconds === 'number' && seconds > 0
    ? Math.min(seconds, LONGEST_INTERVAL_SECONDS)
    : DEFAULT_INTERVAL_SECONDS
}

/** An older ledger may hold what no save would let through. */
function instantOf(text: unknown): Micros | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return readTimestamp('instant', text).micros
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
