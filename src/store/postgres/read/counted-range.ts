import type { HistogramQuery } from '../../../model/events/event-histogram.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'
import { EARLIEST } from './event-reader.js'
import { type LedgerBounds, readBounds } from './ledger-bounds.js'

interface CountedRange {
  /** Both ends included; undefined if it cannot contain anything. */
  range: { from: Micros; to: Micros } | undefined
  /** Start of the part of the range that the ledger still has: removed events are excluded. */
  low: Micros
  high: Micros
  ledger: LedgerBounds
}

/** The range of a count, and the head of the ledger: later events are not counted. */
export async function readCountedRange(
  connection: Connection,
  { since, from, to, now }: Pick<HistogramQuery, 'since' | 'from' | 'to' | 'now'>,
): Promise<CountedRange> {
  const ledger = await readBounds(connection)
  const { head, prunedThrough } = ledger
  const bounds = [from, since === undefined ? undefined : since + 1].filter(bound => bound !== undefined)
  const first = bounds.length > 0 ? Math.max(...bounds) : await findEarliest(connection, ledger)
  const last = to ?? Math.max(now, head ?? now)
  const isEmpty = first === undefined || Number(first) > last
  const low = Math.max(Number(first), (prunedThrough ?? -1) + 1)
  const high = Math.min(last, head ?? -1)
  return { range: isEmpty ? undefined : { from: Number(first), to: last }, low, high, ledger }
}

async function findEarliest(connection: Connection, { prunedThrough }: LedgerBounds): Promise<unknown> {
  return (await connection.run(EARLIEST, prunedThrough ?? -1))[0]?.captured_us
}
