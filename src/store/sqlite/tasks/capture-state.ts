import type { CaptureState } from '../../../model/subscriptions/subscription.js'
import { mergeCapture } from '../../rows/stored-subscription.js'
import type { Database } from '../files/database.js'

/**
 * The value of `last_cursor` after a new message id: a cursor never moves backwards, and message ids of a chat server
 * are integers that grow. An instant, which polls of other platforms use, replaces any value, and any id replaces it.
 *
 * @param id a parameter, such as `?3`
 */
export function laterCursorSql(id: string): string {
  return /* sql */ `CASE WHEN ${id} NOT GLOB '*[^0-9]*' AND body ->> '$.last_cursor' NOT GLOB '*[^0-9]*'
    AND CAST(body ->> '$.last_cursor' AS INTEGER) >= CAST(${id} AS INTEGER) THEN body ->> '$.last_cursor' ELSE ${id} END`
}

const FIND_CAPTURE = /* sql */ `SELECT body -> '$.capture' AS capture FROM subscriptions WHERE id = ? AND json_valid(body)`
const SAVE_CAPTURE = /* sql */ `UPDATE subscriptions SET body = json_set(body, '$.capture', json(?2)) WHERE id = ?1`
const SET_CURSOR = /* sql */ `UPDATE subscriptions SET body = json_set(body, '$.last_cursor', ?2) WHERE id = ?1`
const MOVE_CURSOR = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_cursor', ${laterCursorSql('?2')}) WHERE id = ?1`

/**
 * Changes members of a subscription's `capture` inside the caller's transaction, and moves `last_cursor` forward to a
 * message id, if given. A deleted subscription stays deleted, and a body that SQLite cannot read as JSON stays as it is.
 */
export function noteCapture(database: Database, id: string, changes: CaptureState, cursor: string | undefined): void {
  const row = database.first(FIND_CAPTURE, id)
  if (!row) return
  const { capture, isOtherHost } = mergeCapture(JSON.parse(String(row.capture)) ?? {}, changes)
  database.run(SAVE_CAPTURE, id, JSON.stringify(capture))
  if (isOtherHost) database.run(SET_CURSOR, id, cursor ?? null)
  else if (cursor !== undefined) database.run(MOVE_CURSOR, id, cursor)
}
