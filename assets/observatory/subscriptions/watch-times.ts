/** How often a watch is captured, and until when. */
import { idleIntervalOf, intervalOf } from '#model/subscriptions/polling'
import type { Subscription } from '#model/subscriptions/subscription'
import { duration, toMs } from '../../shared/words/time.js'

/** When it ends, in epoch milliseconds; undefined without an end. */
export function expiresAt({ metadata }: Pick<Subscription, 'metadata'>): number | undefined {
  return instantOf(metadata.expires_at)
}

export function isOver(subscription: Pick<Subscription, 'metadata'>, now: number): boolean {
  return (expiresAt(subscription) ?? Number.POSITIVE_INFINITY) <= now
}

/** Whether its last capture failed and it will be captured again. */
export function isFailing(subscription: Pick<Subscription, 'enabled' | 'metadata' | 'capture'>, now: number): boolean {
  return subscription.enabled && !isOver(subscription, now) && (subscription.capture?.failures ?? 0) > 0
}

export interface Pace {
  /** Current seconds between two captures. */
  seconds: number
  /** End of the hot period, in epoch milliseconds; undefined without one. */
  hotUntil: number | undefined
  isHot: boolean
}

export function paceOf({ metadata }: Pick<Subscription, 'metadata'>, now: number): Pace {
  const seconds = intervalOf(metadata)
  const hotUntil = instantOf(metadata.hot_until)
  const isHot = hotUntil === undefined || now < hotUntil
  return { seconds: isHot ? seconds : idleIntervalOf(seconds), hotUntil, isHot }
}

function instantOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? toMs(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

const MINUTE_MS = 60_000

export interface TimeLeft {
  /** `47 min left` */
  words: string
  /** Remaining share of its time, from 0 to 1. */
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
  const minutes = Math.floor((end - now) / MINUTE_MS)
  const words = minutes === 0 ? 'Less than a minute left' : `${duration(minutes * MINUTE_MS)} left`
  return { words, part }
}
