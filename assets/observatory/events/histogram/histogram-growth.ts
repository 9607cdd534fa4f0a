import type { StoredEvent } from '#model/events/event'
import type { EventHistogram } from '#model/ledger-answers'
import type { Outcome } from '#model/sentences/event-outcome'

type Counted = EventHistogram['by_source']

/** Counts minus those of another response about the first part of the range. */
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
  const more = (counts: readonly (number | null)[]) =>
    counts.map((count, at) => (at === last ? (count ?? 0) + 1 : count))
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
  return {
    ...{ ...histogram, count: histogram.count + newer.length },
    by_source: moreOf(
      by_source,
      newer.map(({ source }) => source),
    ),
    ...(by_outcome && {
      by_outcome: moreOf(
        by_outcome,
        newer.flatMap(({ outcome }) => outcome ?? []),
      ),
    }),
    counts: counts.map((count, at) => (at === last ? (count ?? 0) + newer.length : count)),
  }
}

/** Number of newer events at the start of a list. @param events newest first */
export function newerThan(events: readonly Pick<StoredEvent, 'captured_at'>[], instant: string): number {
  const at = events.findIndex(event => event.captured_at <= instant)
  return at === -1 ? events.length : at
}
