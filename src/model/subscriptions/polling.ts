/** How often capture polls a watch. Shared by the ledger and the pages. */
import type { Subscription } from './subscription.js'

/** Capture modes of a watch that is polled. */
const POLLING: readonly string[] = ['api_cursor', 'poll']
const DEFAULT_INTERVAL_SECONDS = 60
/** A poll of a code host or a forum reads several lists, and these platforms limit requests per hour. */
const LISTS_INTERVAL = { defaultSeconds: 300, leastSeconds: 60 }
/** One year: later instants may have no text form. */
const LONGEST_INTERVAL_SECONDS = 31_536_000
/** Multiplies the interval of an idle watch, with a minimum. */
const IDLE_INTERVAL = { times: 10, leastSeconds: 300 }

/** Whether the capture modes of a subscription include polling. */
export function usesPolling({ capture_modes }: Pick<Subscription, 'capture_modes'>): boolean {
  return capture_modes.some(mode => POLLING.includes(mode))
}

/** Seconds between two captures during the hot period. */
export function intervalOf({ source, metadata }: Pick<Subscription, 'source' | 'metadata'>): number {
  const { interval_seconds: seconds } = metadata
  if (typeof seconds !== 'number' || seconds <= 0) return defaultIntervalOf(source)
  return Math.min(Math.max(seconds, leastIntervalOf(source)), LONGEST_INTERVAL_SECONDS)
}

export function defaultIntervalOf(source: string): number {
  return source === 'chat' ? DEFAULT_INTERVAL_SECONDS : LISTS_INTERVAL.defaultSeconds
}

/** The minimum interval. Shorter intervals are raised to it. */
export function leastIntervalOf(source: string): number {
  return source === 'chat' ? 1 : LISTS_INTERVAL.leastSeconds
}

/** Seconds between two captures after the hot period. */
export function idleIntervalOf(intervalSeconds: number): number {
  return Math.max(intervalSeconds * IDLE_INTERVAL.times, IDLE_INTERVAL.leastSeconds)
}
