import { toTimestamp } from '../../../model/timestamp.js'
import type { Database } from '../files/database.js'
import type { SearchIndex } from '../search/search-index.js'

const MARK = /* sql */ `
  UPDATE events SET body = json_insert(body, '$.subscription_ids[#]', ?2)
  WHERE dedupe_key = ?1 AND json_valid(body)
    AND NOT EXISTS (SELECT 1 FROM json_each(body, '$.subscription_ids') WHERE value = ?2)
  RETURNING seq, captured_us`

const MOVE_LAST_EVENT = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_event_at', ?2)
  WHERE id = ?1 AND json_valid(body) AND coalesce(body ->> '$.last_event_at', '') < ?2`

/**
 * Marks events that are stored already with a subscription that they were captured for, inside the caller's transaction.
 * Their `captured_at` stays: it is the ledger's order. The index is told where it has passed the event already.
 */
export class LateMarks {
  constructor(
    private readonly database: Database,
    private readonly index: Pick<SearchIndex, 'addSubscription'>,
  ) {}

  /** One that is marked already stays as it is. */
  mark(dedupeKey: string, subscriptionId: string): void {
    const row = this.database.first(MARK, dedupeKey, subscriptionId)
    if (!row) return
    this.index.addSubscription(Number(row.seq), subscriptionId)
    this.database.run(MOVE_LAST_EVENT, subscriptionId, toTimestamp(Number(row.captured_us)))
  }
}
