import { LEDGER_SOURCE } from '../../../model/events/erasure.js'
import type { Micros } from '../../../model/timestamp.js'
import { erasedMeanwhile } from '../../event-store.js'
import type { Connection } from '../connection/connection.js'

const ENTRIES = /* sql */ `SELECT events FROM source_counters WHERE source = '${LEDGER_SOURCE}'`
const AT = /* sql */ `SELECT seq FROM events WHERE captured_us = $1`
const ADD = /* sql */ `
  INSERT INTO prunings (through_us, entry_us) VALUES ($1, $2)
  ON CONFLICT (through_us) DO UPDATE SET entry_us = excluded.entry_us`
const SET_BORDER = /* sql */ `UPDATE ledger_clock SET pruned_us = $1, pruned_seq = $2 WHERE pruned_us < $1`
/** Counts over a range begin at the border: they must not need the events before it. */
const MARK_BORDER = /* sql */ `INSERT INTO event_marks (captured_us, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING`
const MARK_SOURCES = /* sql */ `
  WITH mark AS (
    SELECT coalesce((SELECT captured_us FROM event_marks WHERE captured_us < $1 ORDER BY captured_us DESC LIMIT 1), -1) AS at
  ), since AS (
    SELECT source, count(*) AS events FROM events, mark WHERE captured_us > mark.at AND captured_us <= $1 GROUP BY source
  ), before AS (
    SELECT source, (
      SELECT events FROM source_marks WHERE source_marks.source = source_counters.source AND captured_us < $1
      ORDER BY captured_us DESC LIMIT 1
    ) AS events FROM source_counters
  )
  INSERT INTO source_marks (source, captured_us, events)
  SELECT source, $1, coalesce(before.events, 0) + coalesce(since.events, 0) FROM before LEFT JOIN since USING (source)
  WHERE before.events IS NOT NULL OR since.events IS NOT NULL
  ON CONFLICT DO NOTHING`

/**
 * Refuses to remove events if some were erased since they were archived. Call it after the entry was recorded.
 *
 * @param entries as in `Pruning`
 * @throws AppError `conflict/erased_meanwhile`
 */
export async function refuseErased(connection: Connection, entries: number): Promise<void> {
  const [row] = await connection.run(ENTRIES)
  if (Number(row?.events) !== entries + 1) throw erasedMeanwhile()
}

/**
 * Marks all events up to one as removed, inside a transaction that holds the clock. `BackgroundRemoval` deletes their rows.
 *
 * @param entry the event that records it
 */
export async function moveBorder(connection: Connection, through: Micros, entry: Micros): Promise<void> {
  const [last] = await connection.run(AT, through)
  if (!last) return
  await connection.run(ADD, through, entry)
  await connection.run(MARK_BORDER, through, Number(last.seq))
  await connection.run(MARK_SOURCES, through)
  await connection.run(SET_BORDER, through, Number(last.seq))
}
