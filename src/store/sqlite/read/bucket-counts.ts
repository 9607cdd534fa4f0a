import type { EventFilter } from '../../../model/events/event-match.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import type { Database } from '../files/database.js'
import { candidates, excludedColumns, type Indexes, kindsOf, type Range } from '../search/event-candidates.js'
import { columnsDecide, rowMatcher } from '../search/row-matcher.js'
import { facetExpression } from '../search/search-index.js'
import { countSources } from '../write/source-marks.js'
import type { SlicedWork } from './sliced-work.js'

/** Number of candidates that an index returns at a time: its fixed cost is higher than that of each candidate. */
const AT_ONCE = 4_096
/** Number of events that one statement counts: as many as it can in about `targetMs`. */
const COUNTED = { first: 8_192, smallest: 1_024, largest: 1_048_576, growth: 4, targetMs: 6 }

const ROW = /* sql */ `
  SELECT seq, source, kind, subject_id, CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN body END AS body
  FROM events WHERE seq = ?`

const columnsSql = (from: string, seq: string, facets: string) => (excluded: string) =>
  /* sql */ `
  SELECT source, count(*) AS events FROM ${from}
  WHERE ${facets} ${seq} BETWEEN ? AND ?
    AND (? IS NULL OR source IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))
    AND subject_id = coalesce(?, subject_id) ${excluded}
  GROUP BY source`

const BY_SCAN = columnsSql('events', 'seq', '')
const BY_FACETS = columnsSql(
  'event_facets CROSS JOIN events ON events.seq = event_facets.rowid',
  'event_facets.rowid',
  'event_facets MATCH ? AND',
)

/** The buckets to count: bucket `n` has the events after border `n`, up to and including border `n + 1`. */
interface BucketPlan {
  borders: readonly number[]
  /** Sources with counts of their own. */
  sources: readonly string[]
  /** Events that retention has removed, also during the count. */
  pruned: Pick<PrunedEvents, 'through'>
}

interface BucketCounts {
  /** Counts of all sources. */
  counts: number[]
  bySource: Map<string, number[]>
  /** The newest event that was not counted because the work took too long. */
  uncounted?: number
}

/**
 * Counts the events of a filter, in slices.
 *
 * With a filter by source alone, the counts come from the notes of `source-marks.ts`: a million events cost the same as
 * a thousand. If the columns decide, the database counts. Otherwise the indexes give candidates, and each is read. It
 * counts newest events first: if the work takes too long, the oldest are not counted.
 */
export function* countBuckets(
  database: Database,
  index: Indexes,
  { kinds, ...others }: EventFilter,
  plan: BucketPlan,
  work: SlicedWork,
): Generator<void, BucketCounts> {
  const filter: EventFilter = kinds && !kinds.includes('*') ? { ...others, kinds } : others
  if (!columnsDecide(filter)) return yield* countByReading(database, index, filter, plan, work)
  if (!filter.kinds && filter.subjectId === undefined && !filter.excluded)
    return yield* countByMarks(database, filter, plan, work)
  const columns = columnCounts(database, filter)
  if (!columns) return yield* countByReading(database, index, filter, plan, work)
  return yield* countByColumns(columns, index.indexedSeq, plan, work)
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

/** Counts the events of each source in a range. */
type CountRange = (range: Range) => Map<string, number>

interface ColumnCounts {
  /** For ranges that are in the index. */
  indexed: CountRange
  /** From the table. */
  scan: CountRange
}

/**
 * Counts inside the database if the columns of `events` decide (`columnsDecide`).
 *
 * @returns undefined if the filter has or excludes too many kinds
 */
function columnCounts(database: Database, filter: EventFilter): ColumnCounts | undefined {
  const { sources, subjectId = null } = filter
  const kinds = filter.kinds && kindsOf(database, filter.kinds)
  if (filter.kinds && !kinds) return undefined
  const { excluded } = filter
  if (excluded?.kinds && !kindsOf(database, excluded.kinds)) return undefined
  const without = excludedColumns(database, filter)
  const facets = facetExpression({ ...filter, ...(kinds?.length ? { kinds } : {}) })
  const listed = (values: readonly string[] | undefined) => (values ? JSON.stringify(values) : null)
  const values = [listed(sources), listed(sources), listed(kinds), listed(kinds), subjectId, ...without.values]
  const counting =
    (sql: string, ...first: string[]): CountRange =>
    ({ low, high }) => {
      const rows = database.all(sql, ...first, low, high, ...values)
      return new Map(rows.map(row => [String(row.source), Number(row.events)]))
    }
  const scan = counting(BY_SCAN(without.sql))
  return { scan, indexed: facets === undefined ? scan : counting(BY_FACETS(without.sql), facets) }
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

function* countByReading(
  database: Database,
  index: Indexes,
  filter: EventFilter,
  plan: BucketPlan,
  work: SlicedWork,
): Generator<void, BucketCounts> {
  const matches = rowMatcher(database, plan.pruned, filter)
  const tally = new Tally(plan)
  for (const { seqs, through } of candidates(database, index, { ...filter, order: 'desc' }, tally, AT_ONCE)) {
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

/** Adds counts, newest events first. */
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

  /** @param seq not newer than in the last call */
  bucketOf(seq: number): number {
    while (seq < this.lowOf(this.#bucket)) this.#bucket--
    return this.#bucket
  }

  /** The first event of a bucket that is not empty. */
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
