import type { StoredEvent } from '#model/events/event'
import type { EventHistogram } from '../../../shared/server/wire.js'

/** Counts minus those of another response about the first part of the range. */
export function withoutFirst(all: EventHistogram, first: EventHistogram): EventHistogram {
  // Incomplete counts do not reach the start of the range.
  if (!all.complete || !first.complete || first.count === 0) return all
  const less = (counts: readonly (number | null)[], by: number) =>
    counts.map((count, at) => (at === 0 && count !== null ? Math.max(0, count - by) : count))
  const bySource = Object.entries(all.by_source).map(([source, { count, counts }]) => {
    const by = first.by_source[source]?.count ?? 0
    return [source, { count: count - by, counts: less(counts, by) }] as const
  })
  return {
    ...{ ...all, count: all.count - first.count, counts: less(all.counts, first.count) },
    by_source: Object.fromEntries(bySource.filter(([, { count }]) => count > 0)),
  }
}

/** Counts plus newer events, which belong to the last part. @param events newest first */
export function withNewer(
  histogram: EventHistogram,
  events: readonly Pick<StoredEvent, 'captured_at' | 'source'>[],
): EventHistogram {
  const { head, starts, counts } = histogram
  const last = starts.length - 1
  const newer = events.slice(0, newerThan(events, head ?? ''))
  if (newer.length === 0 || last < 0) return histogram
  const more = (counts: readonly (number | null)[]) =>
    counts.map((count, at) => (at === last ? (count ?? 0) + 1 : count))
  const bySource = { ...histogram.by_source }
  for (const { source } of newer) {
    const has = Object.hasOwn(bySource, source) ? bySource[source] : undefined
    const { count, counts } = has ?? { count: 0, counts: starts.map(() => 0) }
    bySource[source] = { count: count + 1, counts: more(counts) }
  }
  return {
    ...{ ...histogram, by_source: bySource, count: histogram.count + newer.length },
    counts: counts.map((count, at) => (at === last ? (count ?? 0) + newer.length : count)),
  }
}

/** Number of newer events at the start of a list. @param events newest first */
export function newerThan(events: readonly Pick<StoredEvent, 'captured_at'>[], instant: string): number {
  const at = events.findIndex(event => event.captured_at <= instant)
  return at === -1 ? events.length : at
}
