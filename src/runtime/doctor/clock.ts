import { stat } from 'node:fs/promises'
import { CLOCK_TOLERANCE, clockBehind } from '../../ledger/clock-behind.js'
import { type Finding, ok, warning } from '../../model/diagnosis.js'
import { type Micros, readTimestamp, toTimestamp } from '../../model/timestamp.js'
import { ifPresent } from '../../store/sqlite/files/file-system.js'

/**
 * Compares the clock with times that are certainly in the past.
 *
 * @param head `captured_at` of the newest event
 * @param files which were certainly written before now
 */
export async function checkClock(now: Micros, head: string | null, files: readonly string[]): Promise<Finding[]> {
  const behind = clockBehind(head === null ? null : readTimestamp('head', head).micros, now)
  if (behind) return [warning(behind.detail)]
  for (const file of files) {
    const written = (await ifPresent(stat(file)))?.mtimeMs
    if (written === undefined || written * 1000 - now <= CLOCK_TOLERANCE) continue
    const detail = `${file} was written at ${toTimestamp(Math.floor(written) * 1000)}, and the clock shows ${toTimestamp(now)}.`
    return [warning(detail, 'Correct the clock, and let it follow a time server.')]
  }
  return [ok(`The clock shows ${toTimestamp(now)}.`)]
}
