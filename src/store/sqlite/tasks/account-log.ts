import { ACCOUNT_LOG_LIMITS, type AccountLogEntry, isLoginAction } from '../../../model/accounts/account-log.js'
import type { Database } from '../files/database.js'

export const ACCOUNT_LOG_TABLE = /* sql */ `
  CREATE TABLE account_log (seq INTEGER PRIMARY KEY, is_login INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE INDEX account_log_by_kind ON account_log (is_login, seq);
`

const ADD = /* sql */ `INSERT INTO account_log (is_login, body) VALUES (?, ?)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM account_log WHERE is_login = ?1 AND seq <= (
    SELECT seq FROM account_log WHERE is_login = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`
const LIST = /* sql */ `SELECT body FROM account_log ORDER BY seq DESC LIMIT ?`

/** Adds an entry inside the caller's transaction, and deletes the oldest of its kind if there are too many. */
export function addAccountLogEntry(
  database: Database,
  entry: AccountLogEntry,
  keep: number = ACCOUNT_LOG_LIMITS.kept,
): void {
  const kind = isLoginAction(entry.action) ? 1 : 0
  database.run(ADD, kind, JSON.stringify(entry))
  database.run(DROP_OLDEST, kind, keep)
}

/** Newest first. */
export function listAccountLog(database: Database, limit: number): AccountLogEntry[] {
  return database.all(LIST, limit).map(row => JSON.parse(String(row.body)) as AccountLogEntry)
}
