import {
  bucketStarts,
  type EventHistogram,
  HISTOGRAM_LIMITS,
  type HistogramQuery,
  type OutcomeCounts,
} from '../../../model/events/event-histogram.js'
import type { EventFilter } from '../../../model/events/event-match.js'
import { OUTCOMES } from '../../../model/sentences/event-outcome.js'
import type { Micros } from '../../../model/timestamp.js'
import { allSettled, type Connection, type Row } from '../connection/connection.js'
import { bigintArray, isStorable, textArray } from '../connection/text-array.js'
import { filterSql, shifted } from '../search/event-filter.js'
import { readCountedRange } from './counted-range.js'
import { undecidedEvents } from './event-reader.js'
import { windowsOf } from './event-windows.js'
import type { LedgerBounds } from './ledger-bounds.js'

/** After this much work, the answer contains the counts so far, unless the query has another limit. */
const WORK_MS = 2_000

const LARGEST_SOURCES = /* sql */ `
  SELECT source FROM source_counters WHERE events > 0 AND source <> ALL ($1::text[])
  ORDER BY events DESC, source LIMIT ${HISTOGRAM_LIMITS.sources}`

/** Number of events up to each of these instants. @param $2 number of removed events */
const COUNT_UP_TO = /* sql */ `
  SELECT coalesce((SELECT seq FROM events WHERE captured_us <= border ORDER BY captured_us DESC LIMIT 1), $2::bigint) AS count
  FROM unnest($1::bigint[]) WITH ORDINALITY AS borders (border, at) ORDER BY at`
/** The same for each source: the count at the last mark before the instant, and the events after that mark. */
const COUNT_SOURCES_UP_TO = /* sql */ `
  SELECT source, coalesce(marked.events, 0) + coalesce(counted.events, 0) AS count
  FROM unnest($1::bigint[]) WITH ORDINALITY AS borders (border, at)
  CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS sources (source, number)
  LEFT JOIN LATERAL (
    SELECT captured_us FROM event_marks WHERE captured_us <= border ORDER BY captured_us DESC LIMIT 1
  ) AS mark ON true
  LEFT JOIN LATERAL (
    SELECT events FROM source_marks
    WHERE source_marks.source = sources.source AND source_marks.captured_us <= border
    ORDER BY source_marks.captured_us DESC LIMIT 1
  ) AS marked ON true
  LEFT JOIN (
    SELECT border AS counted_border, events.source AS counted_source, count(*) AS events
    FROM (SELECT DISTINCT unnest($1::bigint[]) AS border) AS borders
    CROSS JOIN LATERAL (
      SELECT source FROM events
      WHERE captured_us <= border AND captured_us > coalesce(
        (SELECT captured_us FROM event_marks WHERE captured_us <= border ORDER BY captured_us DESC LIMIT 1), -1)
    ) AS events
    GROUP BY 1, 2
  ) AS counted ON counted_border = border AND counted_source = sources.source
  ORDER BY at, number`

const countSql = (conditions: string) => /* sql */ `
  SELECT width_bucket(captured_us, $3::bigint[]) AS bucket, source, count(*) AS count
  FROM events WHERE captured_us BETWEEN $1 AND $2${conditions} GROUP BY 1, 2`
const COUNT_PARAMETERS = 3

/** Counts events over a range, newest first; later events do not count. */
export async function countEvents(connection: Connection, query: HistogramQuery): Promise<EventHistogram> {
  const { range, low, high, ledger } = await readCountedRange(connection, query)
  const { head, epoch } = ledger
  if (!range) return { ...NOTHING, ...(query.split && { byOutcome: [] }), head, epoch }
  const { from, to } = range
  const starts = bucketStarts({ ...range, buckets: query.buckets })
  const asked = query.sources?.filter(isStorable)
  const sources = [...new Set(asked ?? (await largestSources(connection, query.excluded?.sources)))]
  const counts = new Counts(starts, sources)
  const workMs = query.workMs ?? WORK_MS
  const countedFrom = bySourceAlone(query)
    ? await countByMarks(connection, counts, { high, ledger, isFiltered: query.sources !== undefined })
    : await countByWindows(connection, counts, { query, low, high, workMs: query.split ? workMs / 2 : workMs })
  const byOutcome: OutcomeCounts[] = []
  for (const outcome of query.split ? (query.outcomes ?? OUTCOMES) : []) {
    // Half of the time is for the count of all events, half for the outcomes together.
    const part = new Counts(starts, [])
    const since = await countByWindows(connection, part, {
      query: { ...query, outcomes: [outcome] },
      low,
      high,
      workMs: workMs / 2 / OUTCOMES.length,
    })
    const { counts, count } = part.known(since ?? from)
    if (counts.some(count => count !== 0)) byOutcome.push({ outcome, counts, count })
  }
  const split = query.split && { byOutcome }
  return { ...counts.known(countedFrom ?? from), ...split, from, to, starts, head, epoch }
}

async function largestSources(connection: Connection, excluded: readonly string[] = []): Promise<string[]> {
  return (await connection.run(LARGEST_SOURCES, textArray(excluded.filter(isStorable)))).map(row => String(row.source))
}

const NOTHING = { from: null, to: null, starts: [], counts: [], count: 0, bySource: [], countedFrom: null }

/** Whether every event of the sources matches. */
function bySourceAlone({ sources: _, ...others }: HistogramQuery): boolean {
  const { conditions, isExact } = filterSql(others)
  return conditions === '' && isExact
}

/** From stored counts: a million events cost the same as a thousand. */
async function countByMarks(
  connection: Connection,
  counts: Counts,
  { high, ledger, isFiltered }: { high: Micros; ledger: LedgerBounds; isFiltered: boolean },
): Promise<undefined> {
  const { prunedThrough, prunedCount } = ledger
  const ends = [...counts.starts.map(start => start - 1), high]
  const borders = bigintArray(ends.map(end => Math.max(prunedThrough ?? -1, Math.min(end, high))))
  const [all, ofSources] = await allSettled<[Row[], Row[]]>(
    connection.run(COUNT_UP_TO, borders, prunedCount),
    connection.run(COUNT_SOURCES_UP_TO, borders, textArray(counts.sources)),
  )
  const width = counts.sources.length
  for (const bucket of counts.starts.keys()) {
    for (const [at, source] of counts.sources.entries()) {
      const upTo = (border: number) => Number(ofSources[border * width + at]?.count)
      counts.addOf(source, bucket, upTo(bucket + 1) - upTo(bucket), isFiltered)
    }
    if (!isFiltered) counts.add(bucket, Number(all[bucket + 1]?.count) - Number(all[bucket]?.count))
  }
  return undefined
}

interface WindowCount {
  query: EventFilter
  low: Micros
  high: Micros
  workMs: number
}

/** @returns the instant from which on all events are counted; undefined if the time was enough for all */
async function countByWindows(
  connection: Connection,
  counts: Counts,
  { query, low, high, workMs }: WindowCount,
): Promise<Micros | undefined> {
  const { conditions, values, isExact } = filterSql(query)
  const started = performance.now()
  const starts = bigintArray(counts.starts)
  for await (const window of windowsOf(connection, { low, high }, 'desc')) {
    if (isExact) {
      const sql = countSql(shifted(conditions, COUNT_PARAMETERS))
      for (const row of await connection.runOnce(sql, [window.low, window.high, starts, ...values])) {
        const bucket = Number(row.bucket) - 1
        counts.addOf(String(row.source), bucket, Number(row.count), true)
      }
    } else {
      for await (const event of undecidedEvents(connection, query, window)) {
        counts.addOf(event.source, counts.bucketOf(event.at), 1, true)
      }
    }
    if (performance.now() - started > workMs && window.low > low) return window.low
  }
  return undefined
}

class Counts {
  readonly #all: number[]
  readonly #bySource: Map<string, number[]>

  constructor(
    readonly starts: readonly Micros[],
    readonly sources: readonly string[],
  ) {
    this.#all = starts.map(() => 0)
    this.#bySource = new Map(sources.map(source => [source, starts.map(() => 0)]))
  }

  bucketOf(at: Micros): number {
    return this.starts.findLastIndex(start => start <= at)
  }

  add(bucket: number, count: number): void {
    this.#all[bucket] = (this.#all[bucket] as number) + count
  }

  /** @param inTotal also to the total */
  addOf(source: string, bucket: number, count: number, inTotal: boolean): void {
    if (inTotal) this.add(bucket, count)
    const counts = this.#bySource.get(source)
    if (counts) counts[bucket] = (counts[bucket] as number) + count
  }

  known(countedFrom: Micros): Pick<EventHistogram, 'counts' | 'count' | 'bySource' | 'countedFrom'> {
    const known = (counts: readonly number[]) =>
      counts.map((count, at) => ((this.starts[at] as Micros) < countedFrom ? null : count))
    const bySource = [...this.#bySource].map(([source, counts]) => {
      return { source, count: sum(counts), counts: known(counts) }
    })
    return {
      counts: known(this.#all),
      count: sum(this.#all),
      countedFrom,
      bySource: bySource.filter(({ count }) => count > 0).sort((left, right) => right.count - left.count),
    }
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
