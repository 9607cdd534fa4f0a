import type { Head, VerifiedEventsAnswer } from '../model/ledger-verification.js'
import { toTimestamp } from '../model/timestamp.js'
import type { LedgerHead, VerifiedEvents } from '../store/event-store.js'

/** Converts the result for the API. */
export function toVerifiedEvents(found: VerifiedEvents): VerifiedEventsAnswer {
  const { events, after, through, hasMore, pending, bySource, byKind, problems } = found
  return {
    events,
    after: toHead(after),
    through: toHead(through),
    has_more: hasMore,
    pending,
    by_source: Object.fromEntries(bySource),
    by_kind: Object.fromEntries(byKind),
    problems,
  }
}

function toHead(head: LedgerHead | null): Head | null {
  return head && { captured_at: toTimestamp(head.capturedAt), digest: head.digest }
}
