import type { EventFilter } from '../../model/events/event-match.js'
import { type ColumnCounts, columnCounts } from './column-counts.js'
import type { Database } from './database.js'
import { candidates } from './event-candidates.js'
import { LARGE_BODY_BYTES } from './large-body.js'
import { columnsDecide, rowMatcher } from './row-matcher.js'
import type { SlicedWork } from './sliced-work.js'
import { countSources } from './source-marks.js'

/** Rows that an index names at a time: asking it costs more than what it names. */
const AT_ONCE = 4_096
/** How many rows one statement counts: as many as it manages in about `targetMs`. */
const COUNTED = { first: 8_192, smallest: 1_024, largest: 1_048_576, growth: 4, targetMs: 6 }

const ROW = /* sql */ `
  SELECT seq, source, kind, subject_id, CASE WHEN octet_length(body) <= ${LARGE_BODY_BYTES} THEN body END AS body
  FROM events WHERE seq = ?`

/** What is to be counted where: bucket `n` holds the rows after border `n` up to border `n + 1`, that included. */
export interface BucketPlan {
  borders: readonly number[]
  /** To be told apart. */
  sources: readonly string[]
}

export interface BucketCounts {
  /** Of all sources. */
  counts: number[]
  bySource: Map<string, number[]>
  /** The newest row that was left out, as the work was too much. */
  uncounted?: number
}

/**
 * Counts the rows that pass a filter, in slices.
 *
 * By source alone, from the notes of `source-marks.ts`: a million events cost what a thousand do. Where the columns
 * decide, inside the database. Else the indexes name candidates, and each is looked at. Newest first, so that what is
 * left out, if it is too much, is what is oldest.
 */
export function* countBuckets(
  database: Database,
  indexedSeq: number,
  { kinds, ...others }: EventFilter,
  plan: BucketPlan,
  work: SlicedWork,
): Generator<void, BucketCounts> {
  const filter: EventFilter = kinds && !kinds.includes('*') ? { ...others, kinds } : others
  if (!columnsDecide(filter)) return yield* countByLooking(database, indexedSeq, filter, plan, work)
  if (!filter.kinds && filter.subjectId === undefined) return yield* countByMarks(database, filter, plan, work)
  const columns = columnCounts(database, filter)
  if (!columns) return yield* countByLooking(database, indexedSeq, filter, plan, work)
  return yield* countByColumns(columns, indexedSeq, plan, work)
}

function* countByMarks(
  database: Database,
  filter: EventFilter,
  { borders, sources }: BucketPlan,
  work: SlicedWork,
): Generator<void, BucketCounts> {
  const sums: number[][] = []
  for (const [at, border] of borders.entries()) {
    const before = sums[at - 1]
    sums.push(before && borders[at - 1] === border ? before : countSources(database, sources, border))
    if (work.isLong) yield* work.pause()
  }
  const bySource = sources.map((source, at) => [source, differences(sums.map(of => of[at] as number))] as const)
  const all = filter.sources ? sums.map(of => of.reduce((total, count) => total + count, 0)) : borders
  return { counts: differences(all), bySource: new Map(bySource) }
}

function* countByColumns(
  { scan, indexed }: ColumnCounts,
  indexedSeq: number,
  plan: BucketPlan,
  work: SlicedWork,
): Generator<void, BucketCounts> {
  const tally = new Tally(plan)
  let window = COUNTED.first
  for (let high = tally.high; high >= tally.low; ) {
    const isIndexed = high <= indexedSeq
    const bucket = tally.bucketOf(high)
    const low = Math.max(high - window + 1, tally.lowOf(bucket), isIndexed ? 0 : indexedSeq + 1)
    const started = performance.now()
    for (const [source, count] of (isIndexed ? indexed : scan)({ low, high })) tally.add(bucket, source, count)
    const fitting = Math.round(window * Math.min(COUNTED.growth, COUNTED.targetMs / (performance.now() - started)))
    if (low === high - window + 1) window = Math.min(COUNTED.largest, Math.max(COUNTED.smallest, fitting))
    high = low - 1
    if (work.isLong) yield* work.pause()
    if (work.isOver && high >= tally.low) return tally.upTo(high)
  }
  return tally.upTo(undefined)
}

function* countByLooking(
  database: Database,
  indexedSeq: number,
  filter: EventFilter,
  plan: BucketPlan,
  work: SlicedWork,
): Generator<void, BucketCounts> {
  const matches = rowMatcher(database, filter)
  const tally = new Tally(plan)
  for (const { seqs, through } of candidates(database, indexedSeq, { ...filter, order: 'desc' }, tally, AT_ONCE)) {
    for (const seq of seqs) {
      if (work.isLong) yield* work.pause()
      if (work.isOver) return tally.upTo(seq)
      const row = database.first(ROW, seq)
      if (row && (yield* work.include(matches(row)))) tally.add(tally.bucketOf(seq), String(row.source), 1)
    }
    if (work.isLong) yield* work.pause()
    if (work.isOver && through > tally.low) return tally.upTo(through - 1)
  }
  return tally.upTo(undefined)
}

/** Takes counts, newest rows first. */
class Tally {
  readonly low: number
  readonly high: number
  readonly #borders: readonly number[]
  readonly #counts: number[]
  readonly #bySource: Map<string, number[]>
  #bucket: number

  constructor({ borders, sources }: BucketPlan) {
    this.low = (borders[0] as number) + 1
    this.high = borders.at(-1) as number
    this.#borders = borders
    this.#counts = borders.slice(1).map(() => 0)
    this.#bySource = new Map(sources.map(source => [source, [...this.#counts]]))
    this.#bucket = this.#counts.length - 1
  }

  /** @param seq not newer than what was asked before */
  bucketOf(seq: number): number {
    while (seq < this.lowOf(this.#bucket)) this.#bucket--
    return this.#bucket
  }

  /** The first row of a bucket that has any. */
  lowOf(bucket: number): number {
    return (this.#borders[bucket] as number) + 1
  }

  add(bucket: number, source: string, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] as number) + count
    const ofSource = this.#bySource.get(source)
    if (ofSource) ofSource[bucket] = (ofSource[bucket] as number) + count
  }

  upTo(uncounted: number | undefined): BucketCounts {
    return { counts: this.#counts, bySource: this.#bySource, ...(uncounted === undefined ? {} : { uncounted }) }
  }
}

function differences(sums: readonly number[]): number[] {
  return sums.slice(1).map((after, at) => after - (sums[at] as number))
}
