import type { EventQuery } from '../../../model/events/event-query.js'
import type { Database } from '../files/database.js'
import type { Range } from './event-candidates.js'

type Order = EventQuery['order']

const facetSql = (order: string) => /* sql */ `
  SELECT rowid AS seq FROM event_facets
  WHERE event_facets MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid ${order} LIMIT ?4`
/** Selects events of a range that have facets, up to a number. */
export const FACETS: Record<Order, string> = { asc: facetSql('ASC'), desc: facetSql('DESC') }

/**
 * Listing an event by its facets costs a fraction of reading it: up to `each` events are listed for every one that
 * would have to be read, and always so many as `least`. No statement lists more than `most`, or looks farther than
 * `farthest` events: other work waits for it.
 */
export const LISTED = { each: 4, least: 4_096, most: 32_768, farthest: 1_048_576 }

/** Each statement covers at most this many times as many events as the previous one. */
const GROWTH = 8

/**
 * Lists the events of a segment that have the facets, ascending, for one segment after the other. A statement for many
 * segments costs little more than for a single one, so each statement covers more segments than the previous one.
 *
 * @returns a function of the segment's range and of the number of events that would be read without the list. Its
 *   result is undefined if the list would be too long in comparison
 */
export function facetLists(database: Database, facets: string, order: Order, range: Range) {
  let known: Range = { low: 1, high: 0 }
  let seqs: number[] = []
  let reach = 0
  return ({ low, high }: Range, otherwise: number): number[] | undefined => {
    if (low < known.low || high > known.high) {
      const most = Math.min(LISTED.most, Math.max(LISTED.least, LISTED.each * otherwise))
      reach = Math.min(LISTED.farthest, high - low + GROWTH * reach)
      known =
        order === 'asc'
          ? { low, high: Math.min(range.high, Math.max(high, low + reach)) }
          : { low: Math.max(range.low, Math.min(low, high - reach)), high }
      seqs = toSeqs(database.all(FACETS[order], facets, known.low, known.high, most))
      if (seqs.length === most) known = { ...known, [order === 'asc' ? 'high' : 'low']: seqs.at(-1) }
      if (order === 'desc') seqs.reverse()
      if (low < known.low || high > known.high) return undefined
    }
    return seqs.filter(seq => seq >= low && seq <= high)
  }
}

export function toSeqs(rows: Record<string, unknown>[]): number[] {
  return rows.map(row => Number(row.seq))
}
