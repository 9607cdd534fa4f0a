import {
  BOARD_ROWS_A_READ,
  BOARD_TABLE_NAMES,
  BOARD_TABLES,
  type BoardClosed,
  type BoardRow,
  type BoardTableName,
  columnsOf,
} from '../../board-rows.js'
import type { Database } from '../files/database.js'

const FIND_CLOSED = /* sql */ `SELECT value FROM meta WHERE name = 'closed'`
const CLOSE = /* sql */ `INSERT OR REPLACE INTO meta (name, value) VALUES ('closed', ?)`
const OPEN = /* sql */ `DELETE FROM meta WHERE name = 'closed'`

/** The rows of a board, for copies. Source: docs/decisions/0083. */
export class SqliteBoardRows {
  constructor(private readonly database: Database) {}

  read(table: BoardTableName, after: readonly number[] | null): BoardRow[] {
    const columns = columnsOf(table)
    const key = columns.slice(0, BOARD_TABLES[table].key).map(([name]) => name)
    const from = after ?? key.map(() => -1)
    const read = columns.map(([name, type]) => (type === 'bytes' ? `hex(${name}) AS ${name}` : name)).join(', ')
    const sql = /* sql */ `
      SELECT ${read} FROM ${table} WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})
      ORDER BY ${key.join(', ')} LIMIT ${BOARD_ROWS_A_READ}`
    return this.database.all(sql, ...from).map(row =>
      columns.map(([name, type]) => {
        const value = row[name]
        if (value === null || value === undefined) return null
        if (type === 'number') return Number(value)
        return type === 'bytes' ? String(value).toLowerCase() : String(value)
      }),
    )
  }

  write(table: BoardTableName, rows: readonly BoardRow[]): void {
    const columns = columnsOf(table)
    const values = columns.map(([, type]) => (type === 'bytes' ? 'unhex(?)' : '?')).join(', ')
    const sql = /* sql */ `INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) VALUES (${values})`
    this.database.transaction(() => {
      for (const row of rows) this.database.run(sql, ...row)
    })
  }

  clear(): void {
    this.database.transaction(() => {
      for (const table of BOARD_TABLE_NAMES) this.database.run(/* sql */ `DELETE FROM ${table}`)
    })
  }

  findClosed(): BoardClosed | undefined {
    const row = this.database.first(FIND_CLOSED)
    return row && (JSON.parse(String(row.value)) as BoardClosed)
  }

  setClosed(closed: BoardClosed | undefined): void {
    this.database.transaction(() => {
      if (closed) this.database.run(CLOSE, JSON.stringify(closed))
      else this.database.run(OPEN)
    })
  }
}
