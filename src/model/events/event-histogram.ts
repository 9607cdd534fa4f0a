import type { Outcome } from '../sentences/event-outcome.js'
import type { Micros } from '../timestamp.js'
import type { EventFilter } from './event-match.js'

/**
 * How many buckets may be requested, and how many sources are counted separately: the requested ones, or those with the
 * most events in the ledger. Other sources count in the totals only.
 */
export const HISTOGRAM_LIMITS = { buckets: 200, defaultBuckets: 100, sources: 50 } as const

/**
 * Counts events over a range of `captured_at`, the ledger's own order: `occurred_at` may be missing, and is unverified.
 *
 * Source: decisions, section 4; docs/decisions/0014.
 */
export interface HistogramQuery extends EventFilter {
  /** As in `EventQuery`. Without a start, the range begins with the first event of the ledger. */
  since?: Micros
  from?: Micros
  to?: Micros
  /** The wall clock. A range without an end goes up to now, or to the newest event if that is later. */
  now: Micros
  /** 1 to 200. */
  buckets: number
  /** Maximum duration of the work, without pauses; 2,000 if absent, and 1,000 for facets. */
  workMs?: number
  /** Also counts each outcome separately. */
  split?: HistogramSplit
}

export const HISTOGRAM_SPLITS = ['outcome'] as const
type HistogramSplit = (typeof HISTOGRAM_SPLITS)[number]

/** Counts from one snapshot. */
export interface EventHistogram {
  /** The range, both ends inclusive; null if it cannot contain anything. */
  from: Micros | null
  to: Micros | null
  /**
   * Start of each bucket, ascending. A bucket ends before the next one starts; the last ends at `to`. As many as
   * requested, fewer only if the range has fewer microseconds; lengths differ by at most a microsecond.
   */
  starts: Micros[]
  /** Events per bucket, all sources; null where the count is incomplete. */
  counts: (number | null)[]
  /** Events from `countedFrom` on. */
  count: number
  /** Separately counted sources that have any, most events first. */
  bySource: SourceCounts[]
  /** Outcomes that any event has, if requested. Other events count in the totals only. */
  byOutcome?: OutcomeCounts[]
  /** Everything from here on is counted exactly. Equals `from`, unless counting all would have taken too long. */
  countedFrom: Micros | null
  /** Newest `captured_at` of the ledger, or null while it is empty. */
  head: Micros | null
  epoch: string
}

interface SourceCounts {
  source: string
  count: number
  counts: (number | null)[]
}

export interface OutcomeCounts {
  outcome: Outcome
  count: number
  counts: (number | null)[]
}

/** Divides a range of microseconds, both ends inclusive, into equal buckets. @returns their starts */
export function bucketStarts({ from, to, buckets }: { from: Micros; to: Micros; buckets: number }): Micros[] {
  const length = BigInt(to) - BigInt(from) + 1n
  const count = length < BigInt(buckets) ? length : BigInt(buckets)
  return Array.from({ length: Number(count) }, (_, at) => Number(BigInt(from) + (BigInt(at) * length) / count))
}
