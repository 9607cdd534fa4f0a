import type { Micros } from '../timestamp.js'
import type { HistogramQuery } from './event-histogram.js'

/** What is counted by value: each has a filter of the same name. */
export const FACETS = ['source', 'kind', 'outcome', 'actor', 'verified', 'subscription_id'] as const
export type Facet = (typeof FACETS)[number]

/** Maximum number of values of a facet in an answer: the most frequent ones. */
export const FACET_VALUES = 200

/** A query for the values that its events have. */
export type FacetQuery = Omit<HistogramQuery, 'buckets'>

/** Counts from one snapshot. Source: docs/decisions/0037. */
export interface EventFacets {
  /** The range, as in `EventHistogram`. */
  from: Micros | null
  to: Micros | null
  /** Matching events from `countedFrom` on; the counts below are of these. */
  count: number
  /** Most frequent first, at most `FACET_VALUES`. Without events that have no such value. */
  values: Record<Facet, FacetCount[]>
  /** Everything from here on is counted: equals `from`, unless the work was too much. */
  countedFrom: Micros | null
  /** Newest `captured_at` of the ledger, or null while it is empty. */
  head: Micros | null
  epoch: string
}

export interface FacetCount {
  value: string
  count: number
}
