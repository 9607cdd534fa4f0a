import {
  type EventFacets,
  FACETS,
  type Facet,
  type FacetQuery,
  mostFrequent,
} from '../../../model/events/event-facets.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'
import { filterSql, shifted } from '../search/event-filter.js'
import { facetsOf } from '../search/facets.js'
import { readCountedRange } from './counted-range.js'
import { undecidedEvents } from './event-reader.js'
import { type Range, windowsOf } from './event-windows.js'

/** A menu waits for this: after a second of work, the answer contains the counts so far. */
const WORK_MS = 1_000

/** The facets of the index that are counted. */
const COUNTED: Record<string, Facet> = {
  source: 'source',
  kind: 'kind',
  outcome: 'outcome',
  named: 'actor',
  verified: 'verified',
  subscription: 'subscription_id',
}
/** `kind=a.*` is a pattern, not a kind: kinds are counted from their column. */
const countSql = (conditions: string) => /* sql */ `
  WITH found AS MATERIALIZED (
    SELECT kind, facets FROM events WHERE captured_us BETWEEN $1 AND $2${conditions}
  )
  SELECT value, count(*) AS count FROM found, unnest(facets) AS value
  WHERE value ~ '^(source|outcome|named|verified|subscription)=' GROUP BY 1
  UNION ALL SELECT 'kind=' || kind, count(*) FROM found GROUP BY 1
  UNION ALL SELECT '', count(*) FROM found`
const PARAMETERS = 2

/** Counts the values of the matching events, newest first. */
export async function countFacets(connection: Connection, query: FacetQuery): Promise<EventFacets> {
  const { range, low, high, ledger } = await readCountedRange(connection, query)
  const tally = new Tally()
  const { from = null, to = null } = range ?? {}
  const countedFrom = range && (await countRange(connection, query, { tally, low, high }))
  const { count, values } = tally
  const { head, epoch } = ledger
  return { from, to, count, values, countedFrom: countedFrom ?? from, head, epoch }
}

/** @returns the instant from which on all events are counted; undefined if the time was enough for all */
async function countRange(
  connection: Connection,
  query: FacetQuery,
  { tally, low, high }: Range & { tally: Tally },
): Promise<Micros | undefined> {
  const { conditions, values, isExact } = filterSql(query)
  const sql = countSql(shifted(conditions, PARAMETERS))
  const { workMs = WORK_MS } = query
  const started = performance.now()
  for await (const window of windowsOf(connection, { low, high }, 'desc')) {
    if (isExact) {
      for (const { value, count } of await connection.runOnce(sql, [window.low, window.high, ...values])) {
        tally.add(String(value), Number(count))
      }
    } else {
      for await (const event of undecidedEvents(connection, query, window)) {
        tally.add('', 1)
        for (const value of facetsOf(event)) if (!value.startsWith('kind=')) tally.add(value, 1)
        tally.add(`kind=${event.kind}`, 1)
      }
    }
    if (performance.now() - started > workMs && window.low > low) return window.low
  }
  return undefined
}

class Tally {
  count = 0
  readonly #values = Object.fromEntries(FACETS.map(facet => [facet, new Map()])) as Record<Facet, Map<string, number>>

  /** @param indexed a facet of the index; empty for an event */
  add(indexed: string, count: number): void {
    if (indexed === '') {
      this.count += count
      return
    }
    const end = indexed.indexOf('=')
    const facet = COUNTED[indexed.slice(0, end)]
    const value = indexed.slice(end + 1)
    if (facet) this.#values[facet].set(value, (this.#values[facet].get(value) ?? 0) + count)
  }

  get values(): EventFacets['values'] {
    return Object.fromEntries(FACETS.map(facet => [facet, mostFrequent(this.#values[facet])])) as EventFacets['values']
  }
}
