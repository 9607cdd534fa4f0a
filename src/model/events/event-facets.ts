import type { Micros } from '../timestamp.js'
import type { HistogramQuery } from './event-histogram.js'

/** Members whose values are counted. Each has a filter of the same name. */
export const FACETS = ['source', 'kind', 'outcome', 'actor', 'verified', 'subscription_id'] as const
export type Facet = (typeof FACETS)[number]

/** Maximum number of values of a facet in an answer: the most frequent ones. */
export const FACET_VALUES = 200

/** A query that counts the values of matching events. */
export type FacetQuery = Omit<HistogramQuery, 'buckets'>

/** Counts from one snapshot. Source: docs/decisions/0037. */
export interface EventFacets {
  /** The range, as in `EventHistogram`. */
  from: Micros | null
  to: Micros | null
  /** Matching events from `countedFrom` on, which the counts below cover. */
  count: number
  /** Most frequent first, at most `FACET_VALUES`. Events without such a value are not counted. */
  values: Record<Facet, FacetCount[]>
  /** Everything from here on is counted. Equals `from`, unless counting all would have taken too long. */
  countedFrom: Micros | null
  /** Newest `captured_at` of the ledger, or null while it is empty. */
  head: Micros | null
  epoch: string
}

interface FacetCount {
  value: string
  count: number
}

/**
 * The values of a facet as an answer lists them. Values that occur equally often are in the order of their characters,
 * so that every store, and every call, lists the same.
 */
export function mostFrequent(counts: ReadonlyMap<string, number>): FacetCount[] {
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1))
    .slice(0, FACET_VALUES)
}
