import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'

const READ_BOUNDS = /* sql */ `
  SELECT last_us, seq, pruned_us, pruned_seq, (SELECT value FROM meta WHERE name = 'epoch') AS epoch FROM ledger_clock`

/** The first and the last event of the ledger, from one snapshot. */
export interface LedgerBounds {
  /** Null in an empty ledger. */
  head: Micros | null
  /** How many events there are, removed ones included. */
  count: number
  /** The newest event that retention has removed: its `captured_at`, and its number; null and 0 for none. */
  prunedThrough: Micros | null
  prunedCount: number
  epoch: string
}

export async function readBounds(connection: Connection): Promise<LedgerBounds> {
  const [row] = await connection.run(READ_BOUNDS)
  const count = Number(row?.seq)
  const prunedCount = Number(row?.pruned_seq)
  return {
    count,
    head: count === 0 ? null : Number(row?.last_us),
    prunedCount,
    prunedThrough: prunedCount === 0 ? null : Number(row?.pruned_us),
    epoch: String(row?.epoch),
  }
}
