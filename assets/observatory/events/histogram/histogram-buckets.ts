import { DAY, fromMs, HOUR, justBefore, MINUTE, SECOND, toMs } from '../../../shared/words/time.js'

/** Natural lengths of a bucket, in milliseconds. */
const LENGTHS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map(hours => hours * HOUR),
  ...[1, 2, 7, 14, 28, 56, 112, 364].map(days => days * DAY),
]

/** A query whose buckets start at round times. Instants in UTC, as the ledger writes them. */
interface BucketPlan {
  from: string
  to: string
  buckets: number
  /** The part before the wanted range, to be subtracted. */
  before?: { from: string; to: string }
}

/** The shortest length with which at most this many buckets fill a range. Milliseconds. */
export function bucketLength(rangeMs: number, most: number): number {
  return LENGTHS.find(length => rangeMs / length <= most) ?? Math.ceil(rangeMs / most)
}

interface OpenRange {
  /** Exact start of the range. */
  from: string
  /** Epoch milliseconds. */
  now: number
  /** Number of buckets, not counting a partial one. */
  most: number
  /** Offset of local time from UTC, in milliseconds. */
  offsetMs: number
}

/**
 * The buckets of a range that ends now. They keep their positions as time passes: the last one contains now, and fills
 * up.
 */
export function planOpenRange({ from, now, most, offsetMs }: OpenRange): BucketPlan {
  const exact = from.endsWith('Z') ? from : fromMs(toMs(from))
  const length = bucketLength(Math.max(1, now - toMs(exact)), most)
  const floor = (ms: number) => Math.floor((ms + offsetMs) / length) * length - offsetMs
  const first = floor(toMs(exact))
  const end = Math.max(floor(now), first) + length
  const start = fromMs(first)
  const isCut = justBefore(exact) >= start
  return {
    from: start,
    to: justBefore(fromMs(end)),
    buckets: Math.round((end - first) / length),
    ...(isCut ? { before: { from: start, to: justBefore(exact) } } : {}),
  }
}

/** Number of buckets of a closed range: natural ones if its length allows. @returns at most `most` */
export function closedBuckets(rangeMs: number, most: number): number {
  return Math.max(1, Math.min(most, Math.round(rangeMs / bucketLength(rangeMs, most))))
}

/** An instant shifted by whole milliseconds, keeping its microseconds. */
export function moved(instant: string, byMs: number): string {
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? []
  return `${fromMs(toMs(instant) + byMs).slice(0, 23)}${fraction.padEnd(6, '0').slice(3, 6)}Z`
}
