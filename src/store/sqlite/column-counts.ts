import type { EventFilter } from '../../model/events/event-match.js'
import type { Database } from './database.js'
import { kindsOf, type Range } from './event-candidates.js'
import { facetExpression } from './search-index.js'

/** Counts the events of each source in a range. */
type CountRange = (range: Range) => Map<string, number>

export interface ColumnCounts {
  /** For ranges that the index has reached. */
  indexed: CountRange
  /** From the events themselves. */
  scan: CountRange
}

const columnsSql = (from: string, seq: string, facets: string) => /* sql */ `
  SELECT source, count(*) AS events FROM ${from}
  WHERE ${facets} ${seq} BETWEEN ? AND ?
    AND (? IS NULL OR source IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))
    AND subject_id = coalesce(?, subject_id)
  GROUP BY source`

const BY_SCAN = columnsSql('events', 'seq', '')
const BY_FACETS = columnsSql(
  'event_facets CROSS JOIN events ON events.seq = event_facets.rowid',
  'event_facets.rowid',
  'event_facets MATCH ? AND',
)

/**
 * Counts where the columns of `events` decide (`columnsDecide`) without taking any row out of the database.
 *
 * @returns undefined where more kinds than can be named would have to be told from the others
 */
export function columnCounts(database: Database, filter: EventFilter): ColumnCounts | undefined {
  const { sources, subjectId = null } = filter
  const kinds = filter.kinds && kindsOf(database, filter.kinds)
  if (filter.kinds && !kinds) return undefined
  const facets = facetExpression({ ...filter, ...(kinds?.length ? { kinds } : {}) })
  const listed = (values: readonly string[] | undefined) => (values ? JSON.stringify(values) : null)
  const values = [listed(sources), listed(sources), listed(kinds), listed(kinds), subjectId]
  const counting =
    (sql: string, ...first: string[]): CountRange =>
    ({ low, high }) => {
      const rows = database.all(sql, ...first, low, high, ...values)
      return new Map(rows.map(row => [String(row.source), Number(row.events)]))
    }
  const scan = counting(BY_SCAN)
  return { scan, indexed: facets === undefined ? scan : counting(BY_FACETS, facets) }
}
