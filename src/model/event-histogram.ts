import type { EventFilter } from './event-match.js'
import type { Micros } from './timestamp.js'

/**
 * How many buckets may be asked for, and how many sources are told apart: those with the most events in the ledger, or
 * those that were asked for. The others are in the sums alone.
 */
export const HISTOGRAM_LIMITS = { buckets: 200, defaultBuckets: 100, sources: 50 } as const

/**
 * A question about how many events there are over a range of `captured_at`, the ledger's own order: `occurred_at` may
 * be missing, and is whatever a platform says.
 *
 * Source: decisions, section 4; docs/decisions/0014.
 */
export interface HistogramQuery extends EventFilter {
  /** As in `EventQuery`. Open at the beginning, the range begins with the first event of the ledger. */
  since?: Micros
  from?: Micros
  to?: Micros
  /** The wall clock: where the range is open at its end it goes up to now, or to the newest event if that is later. */
  now: Micros
  /** 1 to 200. */
  buckets: number
}

/** Counts of one snapshot. */
export interface EventHistogram {
  /** The range, both ends inclusive; null where nothing can be in it. */
  from: Micros | null
  to: Micros | null
  /**
   * Where each bucket begins, rising. It goes up to the next one, that excluded, the last one up to `to`. As many as
   * were asked for, fewer only in a range of fewer microseconds; equally long but for a microsecond.
   */
  starts: Micros[]
  /** Events a bucket, of all sources; null where that is not wholly counted. */
  counts: (number | null)[]
  /** Events from `countedFrom` on. */
  count: number
  /** Of those told apart that have any, most events first. */
  bySource: SourceCounts[]
  /** Everything from here on is counted, exactly: `from`, unless the work was too much. */
  countedFrom: Micros | null
  /** Newest `captured_at` of the ledger, or null while it is empty. */
  head: Micros | null
  epoch: string
}

export interface SourceCounts {
  source: string
  count: number
  counts: (number | null)[]
}

/** Divides a range of microseconds, both ends inclusive, into buckets: exactly, whatever the range. @returns their starts */
export function bucketStarts({ from, to, buckets }: { from: Micros; to: Micros; buckets: number }): Micros[] {
  const length = BigInt(to) - BigInt(from) + 1n
  const count = length < BigInt(buckets) ? length : BigInt(buckets)
  return Array.from({ length: Number(count) }, (_, at) => Number(BigInt(from) + (BigInt(at) * length) / count))
}
