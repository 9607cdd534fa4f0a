import { randomUUID } from 'node:crypto'
import sqlite, { type Database as Connection, type JSValue } from 'node-sqlite3-wasm'
import { AppError } from '../../../model/app-error.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Row } from '../files/database.js'
import { verifyEvents } from '../read/verify-events.js'
import { END_FOLLOW } from '../write/follow-state.js'

/** The content of a checked copy of a ledger. */
export interface CopiedLedger {
  events: number
  /** `captured_at` of the newest event. */
  head: Micros | null
  epoch: string
  schemaVersion: number
}

const FACTS = /* sql */ `
  SELECT (SELECT count(*) FROM events) AS events, (SELECT max(seq) FROM events) AS last_seq,
    (SELECT max(captured_us) FROM events) AS head, (SELECT sum(events) FROM source_counters) AS by_source,
    (SELECT sum(events) FROM kind_counters) AS by_kind, (SELECT value FROM meta WHERE name = 'epoch') AS epoch`

/**
 * Checks a copy that no other program has open: its pages, its counters, and the digests of its events. Leaves it as one
 * file, without the WAL, which every SQLite program can open.
 *
 * @throws AppError `unavailable/store_corrupt`
 */
export function checkCopiedLedger(path: string): CopiedLedger {
  const connection = new sqlite.Database(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    connection.exec('PRAGMA journal_mode = DELETE')
    const damage = connection.all('PRAGMA integrity_check').map(row => String(row.integrity_check))
    if (damage[0] !== 'ok') throw damaged(damage.join('; '))
    const facts = readFacts(connection)
    checkDigests(connection)
    return facts
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error instanceof Error ? error.message : String(error))
  } finally {
    connection.close()
  }
}

/**
 * Gives a checked copy a new epoch before it takes the place of a ledger: consumers notice that events which they have read
 * may be missing. It follows no other ledger.
 *
 * @param now when the copy takes that place, in epoch milliseconds; the ledger keeps it
 * @returns the epoch
 *
 * Source: decisions on routes, `epoch`.
 */
export function renewEpoch(path: string, now: number): string {
  const epoch = randomUUID()
  const connection = new sqlite.Database(path)
  try {
    connection.run(`UPDATE meta SET value = ? WHERE name = 'epoch'`, epoch)
    for (const sql of END_FOLLOW) connection.run(sql)
    connection.run(`DELETE FROM meta WHERE name = 'moved'`)
    connection.run(`INSERT OR REPLACE INTO meta (name, value) VALUES ('restored_at', ?)`, now)
  } finally {
    connection.close()
  }
  return epoch
}

function readFacts(connection: Connection): CopiedLedger {
  const row = connection.get(FACTS) as Record<string, number | string | null>
  const events = Number(row.events)
  const counts = [row.last_seq, row.by_source, row.by_kind].map(count => Number(count ?? 0))
  if (counts.some(count => count !== events)) {
    throw damaged(`it has ${events} events, and its counters say ${[...new Set(counts)].join(' and ')}`)
  }
  const { user_version } = connection.get('PRAGMA user_version') as { user_version: number }
  return {
    events,
    head: row.head === null ? null : Number(row.head),
    epoch: String(row.epoch),
    schemaVersion: Number(user_version),
  }
}

/** A copy of an older release has no digests, or not all of the columns: they are added when it is served. */
function checkDigests(connection: Connection): void {
  if (!connection.get(`SELECT 1 FROM pragma_table_info('events') WHERE name = 'content_digest'`)) return
  const rows = {
    all: (sql: string, ...values: JSValue[]) => connection.all(sql, values) as Row[],
    first: (sql: string, ...values: JSValue[]) => (connection.get(sql, values) as Row | null) ?? undefined,
  }
  const walk = verifyEvents(rows, { since: null, limit: Number.POSITIVE_INFINITY })
  for (;;) {
    const step = walk.next()
    if (!step.done) continue
    const [problem] = step.value.problems
    if (problem) throw damaged(`${problem.dedupe_key}, captured at ${problem.captured_at}: ${problem.detail}`)
    return
  }
}

/** A sentence that follows another one: the caller knows what was copied, and what to do. */
function damaged(reason: string): AppError {
  return new AppError('unavailable', 'store_corrupt', `It is damaged, or not a ledger: ${reason}.`)
}
