import { LARGE_EVENT_BYTES } from '../../large-event.js'
import type { Database } from '../files/database.js'

/** Bytes that one batch of background work reads, but at least one event: writes wait for it. */
const BATCH_BYTES = 1024 * 1024

const NEXT_SIZES = /* sql */ `SELECT octet_length(body) AS bytes FROM events WHERE seq > ? ORDER BY seq LIMIT ?`

/** How many of the `count` events after this one make a batch. */
export function rowsWithinBytes(database: Pick<Database, 'all'>, after: number, count: number): number {
  let bytes = 0
  let rows = 0
  for (const row of database.all(NEXT_SIZES, after, count)) {
    bytes += Math.min(Number(row.bytes), LARGE_EVENT_BYTES)
    if (bytes > BATCH_BYTES && rows > 0) break
    rows++
  }
  return rows
}
