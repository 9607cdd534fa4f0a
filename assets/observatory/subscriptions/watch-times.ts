/** How often a watch is captured, and until when. */
import { toMs } from '../../shared/time.js'
import type { Subscription } from '../../shared/wire.js'

/** Same as on the server. Source: docs/how-to/watch-a-chat-topic.md. */
const DEFAULT_INTERVAL_SECONDS = 60
const IDLE_INTERVAL = { times: 10, leastSeconds: 300 }

const READING = ['api_cursor', 'poll']

/** Whether its capture modes ask for polling. */
export function usesPolling({ capture_modes }: Pick<Subscription, 'capture_modes'>): boolean {
  return capture_modes.some(mode => READING.includes(mode))
}

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
  const given = metadata.interval_seconds
  const seconds = typeof given === 'number' && given > 0 ? given : DEFAULT_INTERVAL_SECONDS
  const hotUntil = instantOf(metadata.hot_until)
  const isHot = hotUntil === undefined || now < hotUntil
  return { seconds: isHot ? seconds : idleSeconds(seconds), hotUntil, isHot }
}

/** Seconds between two captures after the hot period. */
export function idleSeconds(seconds: number): number {
  return Math.max(seconds * IDLE_INTERVAL.times, IDLE_INTERVAL.leastSeconds)
}

function instantOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? toMs(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
