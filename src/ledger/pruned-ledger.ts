import { AppError } from '../model/app-error.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'
import { toTimestamp } from '../model/timestamp.js'

/**
 * Refuses a checkpoint before events that retention has removed: a page that began after them would leave a gap that
 * the consumer does not see. From the checkpoint in the error on, no event is missing.
 *
 * @param page of the query
 * @throws AppError `gone/pruned` with `nextSince`
 *
 * Source: docs/decisions/0055.
 */
export function refusePruned({ since }: Pick<EventQuery, 'since'>, { prunedThrough }: EventPage): void {
  if (since === undefined || prunedThrough === null || since >= prunedThrough) return
  const nextSince = toTimestamp(prunedThrough)
  const detail = `The ledger has removed events after the checkpoint ${toTimestamp(since)}: all up to ${nextSince}.`
  throw new AppError('gone', 'pruned', detail, {
    hint: 'If you can do without them, continue with `next_since` of this answer. Archives may have them.',
    nextSince,
  })
}
