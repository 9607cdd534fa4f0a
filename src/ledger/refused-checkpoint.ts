import { AppError } from '../model/app-error.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'
import { toTimestamp } from '../model/timestamp.js'

/**
 * Refuses a checkpoint that this ledger has not reached. An empty ledger has no newest event: a consumer may begin before the
 * first one, with any checkpoint.
 *
 * @param page of the query, for the newest event of the same snapshot
 * @throws AppError `conflict/ahead_of_ledger`
 *
 * Source: docs/decisions/0052.
 */
export function refuseAhead({ since }: Pick<EventQuery, 'since'>, { head }: Pick<EventPage, 'head'>): void {
  if (since === undefined || head === null || since <= head) return
  const detail = `The checkpoint ${toTimestamp(since)} is later than the newest event of this ledger, ${toTimestamp(head)}.`
  const causes =
    'It belongs to another ledger, or this one was restored from a backup and lost events that you have read.'
  throw new AppError('conflict', 'ahead_of_ledger', `${detail} ${causes}`, {
    hint: 'Begin again: with the `next_since` of a request without `since` for new events only, or earlier to read events again.',
  })
}

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
