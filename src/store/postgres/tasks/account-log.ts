import { ACCOUNT_LOG_LIMITS, type AccountLogEntry, isLoginAction } from '../../../model/accounts/account-log.js'
import type { Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'

const ADD = /* sql */ `INSERT INTO account_log (is_login, body) VALUES ($1, $2)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM account_log WHERE is_login = $1 AND seq <= (
    SELECT seq FROM account_log WHERE is_login = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)`
const LIST = /* sql */ `SELECT body FROM account_log ORDER BY seq DESC LIMIT $1`

/** Adds an entry inside the caller's transaction, and deletes the oldest of its kind if there are too many. */
export async function addAccountLogEntry(connection: Connection, entry: AccountLogEntry): Promise<void> {
  const isLogin = isLoginAction(entry.action)
  await connection.run(ADD, isLogin, JSON.stringify(entry))
  await connection.run(DROP_OLDEST, isLogin, ACCOUNT_LOG_LIMITS.kept)
}

/** Newest first. */
export async function listAccountLog(pool: Pool, limit: number): Promise<AccountLogEntry[]> {
  return (await pool.run(LIST, limit)).map(row => JSON.parse(String(row.body)) as AccountLogEntry)
}
