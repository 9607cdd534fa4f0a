import type { Database as Connection } from 'node-sqlite3-wasm'
import { AppError } from '../../model/app-error.js'

/** Tables that every ledger has, ours and older ones, each with its complete bodies. */
const LEDGER_TABLES = /* sql */ `
  SELECT 1 FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name IN ('events', 'subscriptions') AND columns.name = 'body'`
const ANY_TABLE = /* sql */ `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name LIMIT 1`

/**
 * Refuses the database of another program before anything in it is changed: an empty file becomes a ledger, a file
 * with other people's tables does not.
 *
 * @throws AppError `configuration/store_foreign`
 */
export function refuseForeign(connection: Connection, path: string): void {
  const [other] = connection.all(ANY_TABLE) as { name: string }[]
  if (!other || connection.all(LEDGER_TABLES).length > 0) return
  const message = `${path} is no ledger: it holds the table "${other.name}" of another program, and no events.`
  throw new AppError('configuration', 'store_foreign', message, { hint: 'Choose another database with --db.' })
}
