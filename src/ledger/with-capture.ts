import { usesPolling } from '../model/subscriptions/polling.js'
import type { CaptureState, Subscription } from '../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { dueAt, isPolled, readToOf, whyOver } from './watch-times.js'

const NEVER_CAPTURED: CaptureState = {
  ...{
    host: null,
    reread: null,
    followed: null,
    last_attempt_at: null,
    last_success_at: null,
    last_error: null,
    failures: 0,
  },
  wait_until: null,
}

/**
 * A subscription as served. If it is or should be captured, it carries the capture state (null where unknown) and when
 * it is next due.
 */
export function withCapture(subscription: Subscription, now: Micros): Subscription {
  if (!subscription.capture && !usesPolling(subscription)) return subscription
  const isDueAgain = isPolled(subscription) && whyOver(subscription, now) === undefined
  const due = isDueAgain ? toTimestamp(dueAt(subscription, now)) : null
  const capture = { ...NEVER_CAPTURED, ...subscription.capture, read_to: readToOf(subscription), next_due_at: due }
  return { ...subscription, capture }
}
