/** How often a watch is read, and until when. */
import { toMs } from '../../shared/time.js'
import type { Subscription } from '../../shared/wire.js'

/** As the server reckons. Source: docs/how-to/watch-a-chat-topic.md. */
const DEFAULT_INTERVAL_SECONDS = 60
const COOLED = { times: 10, leastSeconds: 300 }

const READING = ['api_cursor', 'poll']

/** Whether it is meant to be read from its platform again and again. */
export function isRead({ capture_modes }: Pick<Subscription, 'capture_modes'>): boolean {
  return capture_modes.some(mode => READING.includes(mode))
}

/** When it ends, in epoch milliseconds; undefined for one without end. */
export function endOf({ metadata }: Pick<Subscription, 'metadata'>): number | undefined {
  return instantOf(metadata.expires_at)
}

export function isOver(subscription: Pick<Subscription, 'metadata'>, now: number): boolean {
  return (endOf(subscription) ?? Number.POSITIVE_INFINITY) <= now
}

/** Its last capture failed, and it is to be captured again. */
export function isFailing(subscription: Pick<Subscription, 'enabled' | 'metadata' | 'capture'>, now: number): boolean {
  return subscription.enabled && !isOver(subscription, now) && (subscription.capture?.failures ?? 0) > 0
}

export interface Pace {
  /** Seconds between two readings now. */
  seconds: number
  /** Epoch milliseconds of when it cools down, or did; undefined for one that stays as it is. */
  hotUntil: number | undefined
  isHot: boolean
}

export function paceOf({ metadata }: Pick<Subscription, 'metadata'>, now: number): Pace {
  const given = metadata.interval_seconds
  const seconds = typeof given === 'number' && given > 0 ? given : DEFAULT_INTERVAL_SECONDS
  const hotUntil = instantOf(metadata.hot_until)
  const isHot = hotUntil === undefined || now < hotUntil
  return { seconds: isHot ? seconds : cooled(seconds), hotUntil, isHot }
}

/** Seconds between two readings once it is no longer hot. */
export function cooled(seconds: number): number {
  return Math.max(seconds * COOLED.times, COOLED.leastSeconds)
}

function instantOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? toMs(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
