import type { Database } from '../files/database.js'

/** A table of an older ledger with rows that could not be carried over. */
export interface Leftover {
  table: string
  /** Number of rows left for each reason, if that is known. */
  reasons: Record<string, number>
}

const OLDER_TABLES = /* sql */ `
  SELECT tables.name, columns.name IS NOT NULL AS has_reasons
  FROM sqlite_schema AS tables
  LEFT JOIN pragma_table_info(tables.name) AS columns ON columns.name = 'not_carried_over'
  WHERE tables.type = 'table' AND tables.name IN (SELECT value FROM json_each(?)) ORDER BY tables.name`

const NAMES = ['events', 'subscriptions', 'users', 'api_tokens', 'tokens', 'user_tokens'].map(name => `older_${name}`)

/** The remaining tables of an older ledger: each holds rows that could not be carried over. */
export function findLeftovers(database: Database): Leftover[] {
  return database.all(OLDER_TABLES, JSON.stringify(NAMES)).map(({ name, has_reasons }) => {
    const table = String(name)
    return { table, reasons: has_reasons ? countReasons(database, table) : {} }
  })
}

function countReasons(database: Database, table: string): Record<string, number> {
  const quoted = `"${table.replaceAll('"', '""')}"`
  const rows = database.all(
    `SELECT not_carried_over AS reason, count(*) AS count FROM ${quoted} GROUP BY not_carried_over ORDER BY count(*) DESC`,
  )
  return Object.fromEntries(rows.map(({ reason, count }) => [String(reason), Number(count)]))
}
