import type { StoredEvent } from '#model/events/event'
import type { EventHistogram, Stats } from '#model/ledger-answers'
import type { Outcome } from '#model/sentences/event-outcome'

type Counted = EventHistogram['by_source']

/** Counts of a response minus those of another response for the first part of the range. */
export function withoutFirst(all: EventHistogram, first: EventHistogram): EventHistogram {
  // Incomplete counts do not reach the start of the range.
  if (!all.complete || !first.complete || first.count === 0) return all
  const less = (counts: readonly (number | null)[], by: number) =>
    counts.map((count, at) => (at === 0 && count !== null ? Math.max(0, count - by) : count))
  const lessOfEach = (groups: Counted, firstGroups: Counted = {}) => {
    const left = Object.entries(groups).map(([name, { count, counts }]) => {
      const by = firstGroups[name]?.count ?? 0
      return [name, { count: count - by, counts: less(counts, by) }] as const
    })
    return Object.fromEntries(left.filter(([, { count }]) => count > 0))
  }
  return {
    ...{ ...all, count: all.count - first.count, counts: less(all.counts, first.count) },
    by_source: lessOfEach(all.by_source, first.by_source),
    ...(all.by_outcome && { by_outcome: lessOfEach(all.by_outcome, first.by_outcome) }),
  }
}

/** Counts plus newer events, which belong to the last part. @param events newest first */
export function withNewer(
  histogram: EventHistogram,
  events: readonly (Pick<StoredEvent, 'captured_at' | 'source'> & { outcome?: Outcome | undefined })[],
): EventHistogram {
  const { head, starts, counts } = histogram
  const last = starts.length - 1
  const newer = events.slice(0, newerThan(events, head ?? ''))
  if (newer.length === 0 || last < 0) return histogram
  const more = (counts: readonly (number | null)[], by = 1) =>
    counts.map((count, at) => (at === last ? (count ?? 0) + by : count))
  const moreOf = (groups: Counted, names: readonly string[]) => {
    const grown = { ...groups }
    for (const name of names) {
      const has = Object.hasOwn(grown, name) ? grown[name] : undefined
      const { count, counts } = has ?? { count: 0, counts: starts.map(() => 0) }
      grown[name] = { count: count + 1, counts: more(counts) }
    }
    return grown
  }
  const { by_source, by_outcome } = histogram
  const sources = newer.map(({ source }) => source)
  const outcomes = newer.flatMap(({ outcome }) => outcome ?? [])
  return {
    ...{ ...histogram, count: histogram.count + newer.length, counts: more(counts, newer.length) },
    by_source: moreOf(by_source, sources),
    ...(by_outcome && { by_outcome: moreOf(by_outcome, outcomes) }),
  }
}

/** Number of newer events at the start of a list. @param events newest first */
export function newerThan(events: readonly Pick<StoredEvent, 'captured_at'>[], instant: string): number {
  const at = events.findIndex(event => event.captured_at <= instant)
  return at === -1 ? events.length : at
}

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
