import type { CaptureState } from '../../../model/subscriptions/subscription.js'
import type { Database } from '../files/database.js'

/**
 * The value of `last_cursor` after a new message id: a cursor never moves backwards, and message ids of a chat server
 * are integers that grow. An instant, which polls of other platforms use, replaces any value.
 *
 * @param id a parameter, such as `?3`
 */
export function laterCursorSql(id: string): string {
  return /* sql */ `CASE WHEN ${id} NOT GLOB '*[^0-9]*' AND coalesce(CAST(body ->> '$.last_cursor' AS INTEGER), -1) >= CAST(${id} AS INTEGER)
    THEN body ->> '$.last_cursor' ELSE ${id} END`
}

const FIND_CAPTURE = /* sql */ `SELECT body -> '$.capture' AS capture FROM subscriptions WHERE id = ? AND json_valid(body)`
const SAVE_CAPTURE = /* sql */ `UPDATE subscriptions SET body = json_set(body, '$.capture', json(?2)) WHERE id = ?1`
const SET_CURSOR = /* sql */ `UPDATE subscriptions SET body = json_set(body, '$.last_cursor', ?2) WHERE id = ?1`
const MOVE_CURSOR = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_cursor', ${laterCursorSql('?2')}) WHERE id = ?1`

/**
 * Changes members of a subscription's `capture` inside the caller's transaction, and moves `last_cursor` forward to a
 * message id, if given. If the host changes, the state and the cursor of the former host are discarded. A deleted
 * subscription stays deleted, and a body that SQLite cannot read as JSON stays as it is.
 */
export function noteCapture(database: Database, id: string, changes: CaptureState, cursor: string | undefined): void {
  const row = database.first(FIND_CAPTURE, id)
  if (!row) return
  const { read_to, reread, followed, unfinished, tracked, ...before }: CaptureState =
    JSON.parse(String(row.capture)) ?? {}
  if (changes.host && before.host && changes.host !== before.host) {
    database.run(SAVE_CAPTURE, id, JSON.stringify({ ...before, ...changes }))
    database.run(SET_CURSOR, id, cursor ?? null)
    return
  }
  const capture = { ...before, read_to, reread, followed, unfinished, tracked, ...changes }
  database.run(SAVE_CAPTURE, id, JSON.stringify(capture))
  if (cursor !== undefined) database.run(MOVE_CURSOR, id, cursor)
}
