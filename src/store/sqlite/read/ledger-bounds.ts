import type { Micros } from '../../../model/timestamp.js'
import type { Database } from '../files/database.js'

const NEWEST = /* sql */ `SELECT seq, captured_us FROM events ORDER BY seq DESC LIMIT 1`

/** The newest event; 0 and null in an empty ledger. */
export function readBounds(database: Pick<Database, 'first'>): { seq: number; head: Micros | null } {
  const newest = database.first(NEWEST)
  return newest ? { seq: Number(newest.seq), head: Number(newest.captured_us) } : { seq: 0, head: null }
}
