import type { Outcome } from '../sentences/event-outcome.js'
import type { Micros } from '../timestamp.js'
import type { StoredEvent, Verification } from './event.js'
import type { SearchTerm } from './search.js'

export const QUERY_LIMITS = {
  limit: 500,
  defaultLimit: 100,
  days: 3650,
  searchCharacters: 4_096,
  choices: 50,
  excludedSearches: 10,
} as const

/**
 * A query for events, complete and bounded. An event must pass all filters.
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events"; decisions, section 3.
 */
export interface EventQuery {
  /** Checkpoint: only events captured strictly after it. */
  since?: Micros
  /** Inclusive bounds on `captured_at`; `days` is already part of `from`. */
  from?: Micros
  to?: Micros
  order: 'asc' | 'desc'
  /** 1 to 500. */
  limit: number
  /** Any of these matches, as in all lists here. */
  sources?: readonly string[]
  /** `message.*` covers every kind of message. */
  kinds?: readonly string[]
  subscriptionIds?: readonly string[]
  subjectId?: string
  /** Inclusive bounds on `occurred_at`; an event without one does not match. */
  occurredFrom?: Micros
  occurredTo?: Micros
  /** The actor's `id` or, ignoring case, `display`. */
  actors?: readonly string[]
  /** A key anywhere in the target chain. */
  target?: string
  verified?: readonly Verification[]
  /** Compared with `outcomeGroupOf`. */
  outcomes?: readonly Outcome[]
  /** All must occur. */
  search?: readonly SearchTerm[]
  /** An event with any of these values does not match. */
  excluded?: ExcludedValues
  /** Omits `payload`, usually the largest part of an event. */
  withoutPayload?: true
  /** A page stops before an event that would exceed this, so it can be empty; see `EventPage.neededBytes`. */
  maxBytes?: number
}

/** Values to exclude, with the same meaning as in `EventQuery`. At least one. */
export interface ExcludedValues extends Pick<EventQuery, 'sources' | 'kinds' | 'actors' | 'outcomes'> {
  /** Keys anywhere in the target chain. */
  targets?: readonly string[]
  /** An event matches one of these if all its terms occur. */
  searches?: readonly (readonly SearchTerm[])[]
}

/** Members that only limit or order a page. */
const BOUNDS: ReadonlySet<string> = new Set<keyof EventQuery>(['order', 'limit', 'since', 'from', 'to', 'maxBytes'])

/** Whether the query has no filter except a range. Such a page needs no search: one read returns it. */
export function isRange(query: EventQuery): boolean {
  for (const member in query) {
    if (!BOUNDS.has(member) && query[member as keyof EventQuery] !== undefined) return false
  }
  return true
}

/** A page of events with its checkpoint, from one snapshot. */
export interface EventPage {
  /** The events' stored JSON texts, joined by commas, as UTF-8: a JSON array without its brackets. */
  items: Uint8Array
  count: number
  /** Newest and oldest `captured_at` among the items. */
  latestCapturedAt: Micros | null
  oldestCapturedAt: Micros | null
  /** The `since` of the next request. Null only in an empty ledger, for a request without `since`. */
  nextSince: Micros | null
  hasMore: boolean
  /** The size of the first event if it alone is larger than `maxBytes`; the page is then empty. */
  neededBytes?: number
  /** Newest `captured_at` of the ledger; null if it is empty. */
  head: Micros | null
  /** `captured_at` of the first event that retention has not removed; null if there is none. */
  earliest: Micros | null
  /**
   * `captured_at` of the newest event that retention has removed, or null. Pages contain neither this event nor any
   * before it.
   */
  prunedThrough: Micros | null
  /** Changes when a ledger is restored or replaced. */
  epoch: string
}

/** The events of a page, parsed. A query `withoutPayload` returns them without `payload`. */
export function eventsOf({ items }: Pick<EventPage, 'items'>): StoredEvent[] {
  return JSON.parse(`[${new TextDecoder().decode(items)}]`)
}

/** A page without its items. */
export type PageSummary = Omit<EventPage, 'items' | 'neededBytes'>

/**
 * While more events match, a consumer continues after the last item it received. Then it continues from the head of
 * this snapshot, so a filtered consumer does not read the same misses again. With newest first, further matches are
 * older events, not read yet, so the checkpoint does not move.
 *
 * @param head the head of the snapshot
 */
export function nextCheckpoint(
  query: EventQuery,
  { latestCapturedAt, hasMore }: Pick<EventPage, 'latestCapturedAt' | 'hasMore'>,
  head: Micros | null,
): Micros | null {
  const upTo = head !== null && query.to !== undefined ? Math.min(head, query.to) : head
  if (query.order === 'asc' && hasMore) return latestCapturedAt
  if (query.since === undefined) return upTo
  if (hasMore || upTo === null) return query.since
  return Math.max(query.since, upTo)
}

/**
 * The query for the events that a page left out because of `maxBytes`, up to the same head. That is complete: events
 * are never removed, and new ones are captured after the head.
 */
export function restOfPage(query: EventQuery, page: PageSummary): EventQuery {
  const { latestCapturedAt, oldestCapturedAt, head, count } = page
  if (latestCapturedAt === null || oldestCapturedAt === null || head === null)
    throw new Error('An empty page has no rest.')
  const range =
    query.order === 'asc'
      ? { since: latestCapturedAt, to: Math.min(query.to ?? head, head) }
      : { to: oldestCapturedAt - 1 }
  return { ...query, ...range, limit: query.limit - count }
}

/** Joins a page and its rest, read by `restOfPage`. The checkpoint is that of the first snapshot. */
export function joinPages(query: EventQuery, first: PageSummary, second: PageSummary): PageSummary {
  const { order } = query
  const hasMore = second.hasMore
  const latestCapturedAt =
    order === 'asc' ? (second.latestCapturedAt ?? first.latestCapturedAt) : first.latestCapturedAt
  return {
    count: first.count + second.count,
    latestCapturedAt,
    oldestCapturedAt: order === 'asc' ? first.oldestCapturedAt : (second.oldestCapturedAt ?? first.oldestCapturedAt),
    nextSince: nextCheckpoint(query, { latestCapturedAt, hasMore }, first.head),
    hasMore,
    head: first.head,
    earliest: first.earliest,
    prunedThrough: first.prunedThrough,
    epoch: first.epoch,
  }
}
