import type { HistogramQuery } from '../../../model/events/event-histogram.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'
import { HEAD } from './event-reader.js'

const FIRST = /* sql */ `SELECT captured_us FROM events ORDER BY captured_us LIMIT 1`

export interface CountedRange {
  /** Both ends included; undefined if it cannot contain anything. */
  range: { from: Micros; to: Micros } | undefined
  head: Micros | null
}

/** The range of a count, and the head of the ledger: later events are not counted. */
export async function readCountedRange(
  connection: Connection,
  { since, from, to, now }: Pick<HistogramQuery, 'since' | 'from' | 'to' | 'now'>,
): Promise<CountedRange> {
  const [clock] = await connection.run(HEAD)
  const head = Number(clock?.seq) === 0 ? null : Number(clock?.last_us)
  const bounds = [from, since === undefined ? undefined : since + 1].filter(bound => bound !== undefined)
  const first = bounds.length > 0 ? Math.max(...bounds) : (await connection.run(FIRST))[0]?.captured_us
  const last = to ?? Math.max(now, head ?? now)
  const isEmpty = first === undefined || Number(first) > last
  return { range: isEmpty ? undefined : { from: Number(first), to: last }, head }
}
