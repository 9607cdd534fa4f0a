import type { CaptureState } from '../../model/subscription.js'
import type { Database } from './database.js'

/**
 * What `last_cursor` becomes with a new message id: a cursor never moves backwards, and message ids of a chat server
 * are integers that grow.
 *
 * @param id a parameter, such as `?3`
 */
export function laterCursorSql(id: string): string {
  return /* sql */ `CASE WHEN coalesce(CAST(body ->> '$.last_cursor' AS INTEGER), -1) >= CAST(${id} AS INTEGER)
    THEN body ->> '$.last_cursor' ELSE ${id} END`
}

const FIND_CAPTURE = /* sql */ `SELECT body -> '$.capture' AS capture FROM subscriptions WHERE id = ?`
const SAVE_CAPTURE = /* sql */ `UPDATE subscriptions SET body = json_set(body, '$.capture', json(?2)) WHERE id = ?1`
const MOVE_CURSOR = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_cursor', ${laterCursorSql('?2')}) WHERE id = ?1`

/**
 * Changes members of a subscription's `capture` inside the caller's transaction, and moves `last_cursor` on to a message
 * id, if given. A subscription that is gone meanwhile stays gone.
 */
export function noteCapture(database: Database, id: string, changes: CaptureState, cursor: string | undefined): void {
  const before = database.first(FIND_CAPTURE, id)
  if (!before) return
  const capture: CaptureState = { ...JSON.parse(String(before.capture)), ...changes }
  database.run(SAVE_CAPTURE, id, JSON.stringify(capture))
  if (cursor !== undefined) database.run(MOVE_CURSOR, id, cursor)
}
