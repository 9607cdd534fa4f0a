import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'

/** Both ends included. */
export interface Range {
  low: Micros
  high: Micros
}

/** Number of marks that the first window covers, and the largest one. */
const FIRST = 64
const LARGEST = 4_096
/** After a statement that takes less, the next window is larger, at most `GROWTH` times. */
const TARGET_MS = 60
const GROWTH = 8

const AFTER = /* sql */ `SELECT captured_us FROM event_marks WHERE captured_us > $1 ORDER BY captured_us OFFSET $2 LIMIT 1`
const BEFORE = /* sql */ `
  SELECT captured_us FROM event_marks WHERE captured_us < $1 ORDER BY captured_us DESC OFFSET $2 LIMIT 1`

/**
 * Divides a range into windows, in the order of the walk, so that no statement runs for long, with any filter. A search
 * can be cancelled between windows, and a page that is full early reads no more than it needs. Windows grow while
 * statements are fast.
 */
export async function* windowsOf(
  connection: Connection,
  { low, high }: Range,
  order: 'asc' | 'desc',
): AsyncGenerator<Range> {
  let marks = FIRST
  let [from, to] = [low, high]
  while (from <= to) {
    const border = await findBorder(connection, order, { from, to, marks })
    const window = order === 'asc' ? { low: from, high: border ?? to } : { low: border ?? from, high: to }
    const started = performance.now()
    yield window
    const fitting = marks * Math.min(GROWTH, TARGET_MS / (performance.now() - started))
    marks = Math.max(1, Math.min(LARGEST, Math.round(fitting)))
    if (order === 'asc') from = window.high + 1
    else to = window.low - 1
  }
}

/** The end of the window; undefined if it reaches to the end of the range. */
async function findBorder(
  connection: Connection,
  order: 'asc' | 'desc',
  { from, to, marks }: { from: Micros; to: Micros; marks: number },
): Promise<Micros | undefined> {
  const [row] =
    order === 'asc' ? await connection.run(AFTER, from, marks - 1) : await connection.run(BEFORE, to, marks - 1)
  const border = row && Number(row.captured_us)
  if (border === undefined) return undefined
  return (order === 'asc' ? border < to : border > from) ? border : undefined
}
