import sqlite from 'node-sqlite3-wasm'
import type { StoredEvent } from '../../src/model/events/event.js'
import { toTimestamp } from '../../src/model/timestamp.js'

interface StoredFile {
  /** Problems of the file or its rows. */
  problems: string[]
  /** Every event's complete text, in the order of capture. */
  bodies: string[]
  schemaVersion: number
}

/** Checks the file of a ledger that no process has open: every page, and whether each row agrees with its body. */
export function readStoredFile(database: string): StoredFile {
  const connection = new sqlite.Database(database, { fileMustExist: true })
  try {
    // Before anything else: this build reads a WAL database only when it has it alone.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    const findings = connection.all('PRAGMA integrity_check').map(row => String(row.integrity_check))
    const rows = connection.all('SELECT * FROM events ORDER BY seq')
    const problems = findings.filter(finding => finding !== 'ok')
    for (const [at, row] of rows.entries()) {
      const { dedupe_key, source, kind, subject_id, seen_count, captured_at } = JSON.parse(
        String(row.body),
      ) as StoredEvent
      const body = [at + 1, dedupe_key, captured_at, source, kind, subject_id, seen_count]
      const columns = [
        row.seq,
        row.dedupe_key,
        toTimestamp(Number(row.captured_us)),
        row.source,
        row.kind,
        row.subject_id,
      ]
      if (body.join() !== [...columns, row.seen_count].join())
        problems.push(`row ${at + 1} is ${columns}, its body ${body}`)
    }
    return {
      problems,
      bodies: rows.map(row => String(row.body)),
      schemaVersion: Number(connection.all('PRAGMA user_version')[0]?.user_version),
    }
  } finally {
    connection.close()
  }
}
