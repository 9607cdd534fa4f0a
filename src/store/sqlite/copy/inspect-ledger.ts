import sqlite, { type Database as Connection, type JSValue } from 'node-sqlite3-wasm'
import type { Micros } from '../../../model/timestamp.js'
import type { Row } from '../files/database.js'
import { refuseForeign } from '../files/foreign-database.js'
import { toStoreError } from '../files/store-error.js'
import { readBounds } from '../read/ledger-bounds.js'
import { verifyEvents } from '../read/verify-events.js'

/** Facts about a closed ledger. */
interface LedgerInspection {
  schemaVersion: number
  /** `captured_at` of the newest event. */
  head: Micros | null
  /** Its digest, in hex; null while it has none. */
  digest: string | null
  /** Address of the ledger that it follows. */
  leader: string | null
  /** The problem of the newest events, as a sentence. */
  problem: string | null
}

/** How many of the newest events are checked against their digests. */
const CHECKED = 100

const VERSION = /* sql */ `PRAGMA user_version`
const LEADER = /* sql */ `SELECT value ->> '$.leader' AS leader FROM meta WHERE name = 'follow'`
const START = /* sql */ `SELECT captured_us FROM events ORDER BY seq DESC LIMIT 1 OFFSET ${CHECKED}`
const HAS_DIGESTS = /* sql */ `SELECT 1 FROM pragma_table_info('events') WHERE name = 'digest'`
const DIGEST = /* sql */ `SELECT lower(hex(digest)) AS digest FROM events WHERE digest IS NOT NULL ORDER BY seq DESC LIMIT 1`

/**
 * Reads facts of a ledger that this process owns and no process has open. Changes nothing in the file, also if an older
 * release has written it.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_foreign`
 */
export function inspectLedger(path: string): LedgerInspection {
  let connection: Connection | undefined
  try {
    connection = new sqlite.Database(path, { readOnly: true, fileMustExist: true })
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    refuseForeign(connection, path)
    return inspect(connection)
  } catch (error) {
    throw toStoreError(error, { path, noun: 'ledger' })
  } finally {
    connection?.close()
  }
}

function inspect(connection: Connection): LedgerInspection {
  const all = (sql: string, ...values: JSValue[]) => connection.all(sql, values) as Row[]
  const first = (sql: string, ...values: JSValue[]) => all(sql, ...values)[0]
  const schemaVersion = Number(first(VERSION)?.user_version)
  const { head } = readBounds({ first })
  const facts = { schemaVersion, head, digest: null, leader: null, problem: null }
  if (!first(HAS_DIGESTS)) return facts
  const leader = String(first(LEADER)?.leader ?? '') || null
  const start = first(START)?.captured_us
  const walk = verifyEvents({ all, first }, { since: start === undefined ? null : Number(start), limit: CHECKED })
  for (let step = walk.next(); ; step = walk.next()) {
    if (!step.done) continue
    const [problem] = step.value.problems
    const where = problem ? `${problem.dedupe_key}, captured at ${problem.captured_at}: ${problem.detail}` : null
    return { ...facts, leader, digest: String(first(DIGEST)?.digest ?? '') || null, problem: where }
  }
}
