import { idleIntervalOf, intervalOf, usesPolling } from '../model/subscriptions/polling.js'
import type { CaptureState, Subscription } from '../model/subscriptions/subscription.js'
import { findTimestamp, type Micros, toTimestamp } from '../model/timestamp.js'
import { watchedPlaceOf } from '../platforms/chat/watched-place.js'
import { watchedTargetOf } from '../platforms/history/watched-target.js'

const SECOND: Micros = 1_000_000
/** Longest wait that the adapters accept from a platform. */
const LONGEST_WAIT_SECONDS = 86_400
/** Longest back-off after failures, so that a recovered platform is polled again soon. */
const LONGEST_BACK_OFF_SECONDS = 900

type Watch = Pick<Subscription, 'source' | 'enabled' | 'metadata' | 'capture'>

/** Whether capture can read it: a topic or a stream of the chat platform, or a place of a code host or a forum. */
export function canBeCaptured(watch: Pick<Subscription, 'source' | 'target' | 'scope' | 'filters'>): boolean {
  return (watch.source === 'chat' ? watchedPlaceOf(watch) : watchedTargetOf(watch)) !== undefined
}

/** Whether capture polls it. A subscription with a problem is not saved, so its progress could not be recorded. */
export function isPolled(watch: Subscription): boolean {
  return usesPolling(watch) && canBeCaptured(watch) && watch.problem === undefined
}

/** The reason why it is no longer captured; undefined if it is. */
export function captureEndReason(
  { enabled, metadata }: Pick<Watch, 'enabled' | 'metadata'>,
  now: Micros,
): 'disabled' | 'expired' | undefined {
  if (!enabled) return 'disabled'
  return expiresAt(metadata) <= now ? 'expired' : undefined
}

/** Infinity if the watch has no end. */
export function expiresAt({ expires_at }: Subscription['metadata']): Micros {
  return instantOf(expires_at) ?? Number.POSITIVE_INFINITY
}

/**
 * When a watch is to be captured next: `interval_seconds` after the last attempt while it is hot; later, ten times
 * that, at least five minutes. A watch that was never captured, or whose last capture was interrupted, is due
 * immediately. From the second consecutive failure on, each doubles the time, up to a quarter of an hour. A wait that
 * the platform asked for takes precedence. An instant so far ahead that the clock must have been set back since does not
 * count.
 *
 * Source: decisions, section 6.
 */
export function dueAt(watch: Pick<Watch, 'source' | 'metadata' | 'capture'>, now: Micros): Micros {
  const waitUntil = instantOf(watch.capture?.wait_until) ?? 0
  return Math.max(waitUntil > now + LONGEST_WAIT_SECONDS * SECOND ? 0 : waitUntil, intervalEnd(watch, now))
}

function intervalEnd(
  { source, metadata, capture }: Pick<Watch, 'source' | 'metadata' | 'capture'>,
  now: Micros,
): Micros {
  const last = instantOf(capture?.last_attempt_at)
  if (last === undefined || wasInterrupted(capture)) return now
  const interval = intervalOf({ source, metadata })
  const hotUntil = instantOf(metadata.hot_until) ?? Number.POSITIVE_INFINITY
  const seconds = now < hotUntil ? interval : idleIntervalOf(interval)
  const wait = backedOff(seconds, capture?.failures ?? 0) * SECOND
  // The clocks of several servers may differ a little.
  return last > now + wait ? now : last + wait
}

function backedOff(seconds: number, failures: number): number {
  if (failures < 2) return seconds
  return Math.max(seconds, Math.min(seconds * 2 ** (failures - 1), LONGEST_BACK_OFF_SECONDS))
}

/** The last attempt to capture it; 0 for never. */
export function lastAttemptAt({ capture }: Pick<Watch, 'capture'>): Micros {
  return instantOf(capture?.last_attempt_at) ?? 0
}

/** How far capture has read. Older ledgers recorded only the cursor. Null: nothing yet. */
export function readToOf({ capture, last_cursor }: Pick<Subscription, 'capture' | 'last_cursor'>): string | null {
  return capture?.read_to === undefined ? last_cursor : capture.read_to
}

/** A capture that ended has recorded its outcome. */
function wasInterrupted(capture: Subscription['capture']): boolean {
  const { last_attempt_at, last_success_at, last_error } = capture ?? {}
  return !last_error && (last_success_at ?? '') < (last_attempt_at ?? '')
}

/** An older ledger may hold values that a save would refuse. */
function instantOf(text: unknown): Micros | undefined {
  return findTimestamp(text)?.micros
}

const NEVER_CAPTURED: CaptureState = {
  host: null,
  reread: null,
  followed: null,
  last_attempt_at: null,
  last_success_at: null,
  last_error: null,
  failures: 0,
  wait_until: null,
}

/**
 * A subscription as served. If it is or should be captured, it carries the capture state (null where unknown) and when
 * it is next due.
 */
export function withCapture(subscription: Subscription, now: Micros): Subscription {
  if (!subscription.capture && !usesPolling(subscription)) return subscription
  const isDueAgain = isPolled(subscription) && captureEndReason(subscription, now) === undefined
  const due = isDueAgain ? toTimestamp(dueAt(subscription, now)) : null
  const capture = { ...NEVER_CAPTURED, ...subscription.capture, read_to: readToOf(subscription), next_due_at: due }
  return { ...subscription, capture }
}
