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
