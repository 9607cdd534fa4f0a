import {
  bucketStarts,
  type EventHistogram,
  HISTOGRAM_LIMITS,
  type HistogramQuery,
  type OutcomeCounts,
} from '../../../model/events/event-histogram.js'
import { OUTCOMES } from '../../../model/sentences/event-outcome.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Database } from '../files/database.js'
import { type Indexes, lastUpTo } from '../search/event-candidates.js'
import { countBuckets } from './bucket-counts.js'
import type { LedgerContext } from './event-reader.js'
import { readBounds } from './ledger-bounds.js'
import { SlicedWork, type WorkBounds } from './sliced-work.js'

/** After two seconds of work, without pauses, the answer contains the counts so far. */
const BOUNDS: WorkBounds = { sliceMs: 4, workMs: 2_000 }

const CAPTURED = /* sql */ `SELECT captured_us FROM events WHERE seq = ?`
/** In the order of `LARGEST_SOURCES`: sources with equal counts stay in it. */
const SOURCES = /* sql */ `SELECT source FROM source_counters ORDER BY events DESC, source`
const LARGEST_SOURCES = /* sql */ `
  SELECT source FROM source_counters WHERE events > 0 AND source NOT IN (SELECT value FROM json_each(?))
  ORDER BY events DESC, source LIMIT ${HISTOGRAM_LIMITS.sources}`

/**
 * Counts in slices, and yields between them so that writes can run. It counts the ledger as it was at the start: it first
 * translates buckets of time into ranges of `seq`, and the number of an event never changes.
 */
export function* countEvents(
  database: Database,
  index: Indexes,
  { pruned, epoch }: LedgerContext,
  asked: HistogramQuery,
  bounds = BOUNDS,
): Generator<void, EventHistogram> {
  const query = includingSources(database, asked)
  const { head } = readBounds(database)
  const range = rangeOf(query, { head, earliest: pruned.earliest })
  if (!range) return { ...NOTHING, ...(query.split && { byOutcome: [] }), head, epoch }
  const { from, to } = range
  const starts = bucketStarts({ ...range, buckets: query.buckets })
  const borders = [...starts.map(start => start - 1), to].map(at => Math.max(pruned.through, lastUpTo(database, at)))
  const excluded = JSON.stringify(query.excluded?.sources ?? [])
  const sources = [...new Set(query.sources ?? database.all(LARGEST_SOURCES, excluded).map(row => String(row.source)))]
  const plan = { borders, sources, pruned }
  // Half of the time is for the count of all events, half for the outcomes together.
  const [all, each] = query.split ? [2, 2 * OUTCOMES.length] : [1, 1]
  const workMs = asked.workMs ?? bounds.workMs
  const work = (share: number) => new SlicedWork({ ...bounds, workMs: workMs / share })
  const counted = yield* countBuckets(database, index, query, plan, work(all))
  const knownSince = (instant: Micros) => (counts: readonly number[]) =>
    counts.map((count, at) => ((starts[at] as Micros) < instant ? null : count))
  const countedFrom = Math.max(from, firstCounted(database, counted.uncounted))
  const known = knownSince(countedFrom)
  const byOutcome: OutcomeCounts[] = []
  for (const outcome of query.split ? (query.outcomes ?? OUTCOMES) : []) {
    // The borders are numbers of events, so these counts are of the same snapshot.
    const part = yield* countBuckets(database, index, { ...query, outcomes: [outcome] }, plan, work(each))
    const since = firstCounted(database, part.uncounted)
    byOutcome.push({ outcome, count: sum(part.counts), counts: knownSince(since)(part.counts) })
  }
  const bySource = [...counted.bySource].map(([source, counts]) => ({
    source,
    count: sum(counts),
    counts: known(counts),
  }))
  return {
    from,
    to,
    starts,
    countedFrom,
    head,
    epoch,
    counts: known(counted.counts),
    count: sum(counted.counts),
    ...(query.split && { byOutcome: byOutcome.filter(({ counts }) => counts.some(count => count !== 0)) }),
    bySource: bySource.filter(({ count }) => count > 0).sort((left, right) => right.count - left.count),
  }
}

/** Replaces excluded sources by a choice of all others: these have stored counts. */
function includingSources(database: Database, query: HistogramQuery): HistogramQuery {
  const { sources: left, ...excluded } = query.excluded ?? {}
  if (!left) return query
  const known = query.sources ?? database.all(SOURCES).map(row => String(row.source))
  const sources = known.filter(source => !left.includes(source))
  if (sources.length === 0 || sources.length > HISTOGRAM_LIMITS.sources) return query
  const { excluded: _, ...others } = query
  return { ...others, sources, ...(Object.keys(excluded).length > 0 ? { excluded } : {}) }
}

const NOTHING = { from: null, to: null, starts: [], counts: [], count: 0, bySource: [], countedFrom: null }

/** The range of a count; undefined if it cannot contain anything. */
export function rangeOf(
  { since, from, to, now }: Pick<HistogramQuery, 'since' | 'from' | 'to' | 'now'>,
  { head, earliest }: { head: Micros | null; earliest: Micros | null },
): { from: Micros; to: Micros } | undefined {
  const bounds = [from, since === undefined ? undefined : since + 1].filter(bound => bound !== undefined)
  const first = bounds.length > 0 ? Math.max(...bounds) : earliest
  const last = to ?? Math.max(now, head ?? now)
  return first === null || first > last ? undefined : { from: first, to: last }
}

/** @param uncounted the newest row that was left out, if any was */
export function firstCounted(database: Database, uncounted: number | undefined): Micros {
  if (uncounted === undefined) return Number.NEGATIVE_INFINITY
  return Number(database.first(CAPTURED, uncounted)?.captured_us) + 1
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
