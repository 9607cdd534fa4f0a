import type { Micros } from '../../../model/timestamp.js'
import type { Connection } from '../connection/connection.js'

/** Number of coming months that have a partition in advance. */
const MONTHS_AHEAD = 3
const LOCK = 7_162_036_932
/**
 * Readers and writers wait behind the lock, so waiting for it ends early and is tried again later. They also wait while
 * PostgreSQL reads the default partition, which `statement_timeout` limits.
 */
const LIMITS = /* sql */ `SET LOCAL lock_timeout = '2s'`
const TAKE_LOCK = /* sql */ `SELECT pg_advisory_xact_lock($1)`
/** Also tables that were detached: their months stay in `events_other`. */
const EXISTING = /* sql */ `
  SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1`
/** An event recorded between the check and the creation of the partition would make the creation fail. */
const STOP_WRITERS = /* sql */ `LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE`
const HAS_ROWS = /* sql */ `SELECT 1 AS found FROM events_other WHERE captured_us >= $1 AND captured_us < $2 LIMIT 1`

interface Month {
  /** `events_2026_11` */
  name: string
  from: Micros
  /** Exclusive. */
  to: Micros
}

/** The month of an instant, and those after it. */
export function monthsFrom(now: Micros, count: number): Month[] {
  const start = new Date(now / 1_000)
  return Array.from({ length: count }, (_, at) => {
    const first = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + at)
    const next = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + at + 1)
    const name = `events_${new Date(first).toISOString().slice(0, 7).replace('-', '_')}`
    return { name, from: first * 1_000, to: next * 1_000 }
  })
}

/** Which of this month and the next ones can have a partition, and have none: no event of them is in `events_other`. */
export async function findMissing(
  connection: Connection,
  { now, schema, months = MONTHS_AHEAD }: { now: Micros; schema: string; months?: number },
): Promise<Month[]> {
  const names = (await connection.run(EXISTING, schema)).map(row => row.name)
  const missing: Month[] = []
  for (const month of monthsFrom(now, months + 1)) {
    if (names.includes(month.name)) continue
    if ((await connection.run(HAS_ROWS, month.from, month.to)).length === 0) missing.push(month)
  }
  return missing
}

/**
 * Makes the partitions of this month and the next ones. The events of a month stay in `events_other` if some are there
 * already.
 *
 * @returns the names of the new ones
 * @throws AppError `unavailable/store_forbidden` for a role that may not create tables, `unavailable/busy`
 */
export async function makePartitions(
  connection: Connection,
  range: { now: Micros; schema: string; months?: number },
): Promise<string[]> {
  if ((await findMissing(connection, range)).length === 0) return []
  return connection.transaction(async () => {
    await connection.script(LIMITS)
    await connection.run(TAKE_LOCK, LOCK)
    await connection.script(STOP_WRITERS)
    const made: string[] = []
    for (const { name, from, to } of await findMissing(connection, range)) {
      await connection.script(
        `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM (${from}) TO (${to}) WITH (fillfactor = 95)`,
      )
      made.push(name)
    }
    return made
  })
}
