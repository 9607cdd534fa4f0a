/** How often capture polls a watch. Shared by the ledger and the pages. */
import type { Subscription } from './subscription.js'

/** Capture modes of a watch that is polled. */
const POLLING: readonly string[] = ['api_cursor', 'poll']
const DEFAULT_INTERVAL_SECONDS = 60
/** A poll of a code host or a forum reads several lists, and the platforms count requests by the hour. */
const LISTS_INTERVAL = { defaultSeconds: 300, leastSeconds: 60 }
/** One year: later instants may have no text form. */
const LONGEST_INTERVAL_SECONDS = 31_536_000
/** An idle watch is polled this many times less often, and no more often than this. */
const IDLE_INTERVAL = { times: 10, leastSeconds: 300 }

/** Whether its capture modes ask for polling. */
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

/** Shorter intervals count as this one. */
export function leastIntervalOf(source: string): number {
  return source === 'chat' ? 1 : LISTS_INTERVAL.leastSeconds
}

/** Seconds between two captures afterwards. */
export function idleIntervalOf(intervalSeconds: number): number {
  return Math.max(intervalSeconds * IDLE_INTERVAL.times, IDLE_INTERVAL.leastSeconds)
}
