import type { Verification } from './event.js'
import type { SearchTerm } from './search.js'
import type { Micros } from './timestamp.js'

export const QUERY_LIMITS = { limit: 500, defaultLimit: 100, days: 3650, searchCharacters: 512, choices: 50 } as const

/**
 * A question about events, complete and bounded. All filters apply together.
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events"; decisions, section 3.
 */
export interface EventQuery {
  /** Checkpoint: only events captured strictly after it. */
  since?: Micros
  /** Inclusive bounds on `captured_at`; `days` has been folded into `from`. */
  from?: Micros
  to?: Micros
  order: 'asc' | 'desc'
  /** 1 to 500. */
  limit: number
  /** Any of these, as wherever there are several. */
  sources?: readonly string[]
  /** `message.*` covers every kind of message. */
  kinds?: readonly string[]
  subscriptionIds?: readonly string[]
  subjectId?: string
  /** The actor's `id` or, whatever its case, `display`. */
  actors?: readonly string[]
  /** A key anywhere in the target chain. */
  target?: string
  verified?: readonly Verification[]
  /** All must occur. */
  search?: readonly SearchTerm[]
  /** The events of the page leave their `payload` out, which is most of what they are. */
  withoutPayload?: true
}

/** A page of events with its checkpoint, both of one snapshot. */
export interface EventPage {
  /** The events' stored JSON texts, joined by commas, as UTF-8: what stands between `[` and `]`. */
  items: Uint8Array
  count: number
  /** Newest `captured_at` among the items. */
  latestCapturedAt: Micros | null
  /** What to send as `since` next. Null only in an empty ledger that was asked without `since`. */
  nextSince: Micros | null
  hasMore: boolean
  /** Newest `captured_at` of the ledger, or null while it is empty. */
  head: Micros | null
  /** Changes when a ledger is restored or replaced. */
  epoch: string
}
