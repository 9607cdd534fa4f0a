import type { Database as Connection } from 'node-sqlite3-wasm'
import { AppError } from '../../../model/app-error.js'

const ANY_TABLE = /* sql */ `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name LIMIT 1`

/** How to recognise the files of one kind. */
export interface OwnFile {
  /** "… is not a ledger". */
  noun: string
  /** Returns a row for a file of this kind. */
  ownTables: string
  /** "… and no events". */
  missing: string
  hint: string
}

/** Tables that every ledger has, ours and older ones, each with its complete bodies. */
const LEDGER: OwnFile = {
  noun: 'ledger',
  ownTables: /* sql */ `
    SELECT 1 FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name IN ('events', 'subscriptions') AND columns.name = 'body'`,
  missing: 'events',
  hint: 'Choose another database with --db.',
}

/** For ledgers. @throws as `refuseOthers` */
export function refuseForeign(connection: Connection, path: string): void {
  refuseOthers(connection, path, LEDGER)
}

/**
 * Refuses the database of another program before anything in it is changed. An empty file is accepted, a file with other
 * tables is not.
 *
 * @throws AppError `configuration/store_foreign`
 */
export function refuseOthers(connection: Connection, path: string, own: OwnFile): void {
  const [other] = connection.all(ANY_TABLE) as { name: string }[]
  if (!other || connection.all(own.ownTables).length > 0) return
  const message = `${path} is not a ${own.noun}: it holds the table "${other.name}" of another program, and no ${own.missing}.`
  throw new AppError('configuration', 'store_foreign', message, { hint: own.hint })
}
