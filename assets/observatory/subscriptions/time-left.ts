import type { Subscription } from '#model/subscriptions/subscription'
import { duration, toMs } from '../../shared/words/time.js'
import { expiresAt } from './watch-times.js'

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
