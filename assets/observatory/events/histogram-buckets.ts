import { fromMs, toMs } from '../../shared/time.js'
import { justBefore } from './instants.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Lengths of a bucket that people count in, in milliseconds. */
const LENGTHS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map(hours => hours * HOUR),
  ...[1, 2, 7, 14, 28, 56, 112, 364].map(days => days * DAY),
]

/** What is asked for, so that its buckets begin at round times. Instants in UTC, as the ledger writes them. */
export interface BucketPlan {
  from: string
  to: string
  buckets: number
  /** Begins earlier than was wanted: what is in here does not count. */
  before?: { from: string; to: string }
}

/** The shortest length of which so many fill a range. Milliseconds. */
export function bucketLength(rangeMs: number, most: number): number {
  return LENGTHS.find(length => rangeMs / length <= most) ?? Math.ceil(rangeMs / most)
}

export interface OpenRange {
  /** Where the range begins, exactly. */
  from: string
  /** Epoch milliseconds. */
  now: number
  /** Buckets, but for one that is cut. */
  most: number
  /** How far local time is ahead of UTC, in milliseconds. */
  offsetMs: number
}

/**
 * The buckets of a range that ends now and goes on. They stay where they are while time goes on: the last one is the
 * one that now is in, and fills up.
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

/** Into how many buckets a range with an end is divided: round ones where it has a round length. @returns at most `most` */
export function closedBuckets(rangeMs: number, most: number): number {
  return Math.max(1, Math.min(most, Math.round(rangeMs / bucketLength(rangeMs, most))))
}

/** An instant moved by whole milliseconds; what is below them stays. */
export function moved(instant: string, byMs: number): string {
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? []
  return `${fromMs(toMs(instant) + byMs).slice(0, 23)}${fraction.padEnd(6, '0').slice(3, 6)}Z`
}
