import { counted } from '#model/counted'
import { idleIntervalOf, intervalOf, usesPolling } from '#model/subscriptions/polling'
import type { Subscription } from '#model/subscriptions/subscription'
import { dateWords, dayOf, duration, fromMs, MINUTE, shortTime, toMs, type Zone } from '../../shared/words/time.js'

export type CaptureState = 'off' | 'over' | 'failing' | 'late' | 'unreadable' | 'hot' | 'cold' | 'steady' | 'delivered'

interface CaptureWords {
  state: CaptureState
  words: string
  more?: string
}

type Watch = Pick<Subscription, 'source' | 'enabled' | 'metadata' | 'capture' | 'capture_modes' | 'created_at'>

/** A capture that is overdue by this much shows that capturing does not run. */
const LATE_MS = 2 * MINUTE

/**
 * How a subscription receives its events: `Webhook`, `Every 30 s, hot until 15:10`, `Off`.
 *
 * @param isPlatform the catalogue has its source, so there is a webhook
 */
export function captureWords(
  subscription: Watch,
  { now, isPlatform, zone }: { now: number; isPlatform: boolean; zone?: Zone },
): CaptureWords {
  const { enabled, capture } = subscription
  if (!enabled) return { state: 'off', words: 'Off' }
  if (isOver(subscription, now)) return { state: 'over', words: expiredWords(subscription, now, zone) ?? '' }
  if (isFailing(subscription, now)) {
    const since = capture?.last_success_at
    return since
      ? {
          state: 'failing',
          words: `Failing since ${moment(toMs(since), now, zone)}`,
          more: 'That was the last capture.',
        }
      : { state: 'failing', words: 'Failing, never captured' }
  }
  if (!usesPolling(subscription)) return { state: 'delivered', words: isPlatform ? 'Webhook' : 'Sent by a program' }
  if (!isPlatform || (capture && !capture.next_due_at)) {
    return {
      state: 'unreadable',
      words: 'Cannot be polled',
      more: 'Its target names no stream or topic, no repository, and no place of a forum. A webhook can still deliver events.',
    }
  }
  const { seconds, hotUntil, isHot } = paceOf(subscription, now)
  const every = `Every ${duration(seconds * 1000)}`
  if (now - dueSince(subscription) > LATE_MS + seconds * 1000) {
    const last = capture?.last_success_at ?? capture?.last_attempt_at
    return {
      state: 'late',
      words: `${every}, ${last ? `not captured since ${moment(toMs(last), now, zone)}` : 'not captured yet'}`,
      more: NOT_CAPTURED,
    }
  }
  if (hotUntil === undefined) return { state: 'steady', words: every }
  return isHot
    ? { state: 'hot', words: `${every} until ${moment(hotUntil, now, zone)}` }
    : { state: 'cold', words: `${every} since ${moment(hotUntil, now, zone)}` }
}

const NOT_CAPTURED =
  'It is due, but captures are not running. Start the server with --capture and an account of the platform, or run "daybook capture subscription-once --due" regularly.'

/** `Chat refused the key. 6 tries, next at 14:39.` @returns undefined if nothing fails */
export function failureText(
  subscription: Pick<Subscription, 'enabled' | 'metadata' | 'capture'>,
  now: number,
  zone?: Zone,
): string | undefined {
  const { last_error: why, failures = 0, next_due_at: next } = subscription.capture ?? {}
  if (!isFailing(subscription, now)) return undefined
  const [sentence = ''] = /^.*[^.\s]/s.exec(why ?? '') ?? []
  const reason = why ? `${sentence}. ` : ''
  const then = next
    ? toMs(next) > now
      ? `next attempt at ${moment(toMs(next), now, zone)}`
      : 'next attempt now'
    : 'no automatic retry'
  return `${reason}Failed ${counted(failures, 'time')}, ${then}.`
}

/** `Expired 18 Nov`; within a day with the time. @returns undefined unless expired */
export function expiredWords(
  subscription: Pick<Subscription, 'metadata'>,
  now: number,
  zone?: Zone,
): string | undefined {
  const end = expiresAt(subscription)
  return end === undefined || end > now ? undefined : `Expired ${moment(end, now, zone)}`
}

/** When the due attempt became due. If never captured: its creation. */
function dueSince({ capture, created_at }: Watch): number {
  const due = capture?.next_due_at
  // A never captured watch is always due now, so its age counts.
  return capture?.last_attempt_at && due ? toMs(due) : toMs(created_at)
}

/** `14:08` on the same day, else `18 Nov`. */
export function moment(ms: number, now: number, zone?: Zone): string {
  const at = fromMs(Math.round(ms))
  return dayOf(at, zone) === dayOf(fromMs(now), zone) ? shortTime(at, zone) : dateWords(at, now, zone)
}

/** How often a watch is captured, and until when. */

/** The end of a subscription, in epoch milliseconds; undefined without one. */
export function expiresAt({ metadata }: Pick<Subscription, 'metadata'>): number | undefined {
  return instantOf(metadata.expires_at)
}

export function isOver(subscription: Pick<Subscription, 'metadata'>, now: number): boolean {
  return (expiresAt(subscription) ?? Number.POSITIVE_INFINITY) <= now
}

/** Whether the last capture of a subscription failed, and it will be captured again. */
export function isFailing(subscription: Pick<Subscription, 'enabled' | 'metadata' | 'capture'>, now: number): boolean {
  return subscription.enabled && !isOver(subscription, now) && (subscription.capture?.failures ?? 0) > 0
}

interface Pace {
  seconds: number
  /** End of the hot period, in epoch milliseconds; undefined without one. */
  hotUntil: number | undefined
  isHot: boolean
}

function paceOf({ source, metadata }: Pick<Subscription, 'source' | 'metadata'>, now: number): Pace {
  const seconds = intervalOf({ source, metadata })
  const hotUntil = instantOf(metadata.hot_until)
  const isHot = hotUntil === undefined || now < hotUntil
  return { seconds: isHot ? seconds : idleIntervalOf(seconds), hotUntil, isHot }
}

function instantOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? toMs(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

interface TimeLeft {
  /** `47 min left` */
  words: string
  part: number
}

/** @returns undefined without an end, or after it */
export function timeLeft(
  subscription: Pick<Subscription, 'metadata' | 'created_at'>,
  now: number,
): TimeLeft | undefined {
  const end = expiresAt(subscription)
  if (end === undefined || end <= now) return undefined
  const whole = end - toMs(subscription.created_at)
  const part = whole > 0 ? Math.min(1, (end - now) / whole) : 1
  // Seconds would change on every render.
  const minutes = Math.floor((end - now) / MINUTE)
  const words = minutes === 0 ? 'Less than a minute left' : `${duration(minutes * MINUTE)} left`
  return { words, part }
}
