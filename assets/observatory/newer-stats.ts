import type { StoredEvent } from '#model/events/event'
import type { Stats } from '#model/ledger-answers'
import { newerThan } from './events/histogram/histogram-growth.js'

/** Counts plus the events that were recorded after them. @param events newest first */
export function withNewerEvents(stats: Stats, events: readonly Pick<StoredEvent, 'captured_at' | 'source'>[]): Stats {
  const newer = events.slice(0, newerThan(events, stats.latest_captured_at ?? ''))
  const newest = newer[0]?.captured_at
  if (newest === undefined) return stats
  const bySource = { ...stats.by_source }
  for (const { source } of newer) {
    const had = Object.hasOwn(bySource, source) ? bySource[source] : undefined
    bySource[source] = { duplicates: 0, ...had, events: (had?.events ?? 0) + 1, latest_captured_at: newest }
  }
  const total = stats.event_count + newer.length
  return { ...stats, event_count: total, by_source: bySource, latest_captured_at: newest }
}
