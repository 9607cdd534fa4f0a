import {
  BOARD_ROWS_A_READ,
  BOARD_TABLE_NAMES,
  BOARD_TABLES,
  type BoardClosed,
  type BoardRows,
  columnsOf,
  keyOf,
} from '../../board-rows.js'
import { allSettled } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'

const FIND_CLOSED = /* sql */ `SELECT closed FROM board`
/** Waits for a change that is in progress. */
const SET_CLOSED = /* sql */ `UPDATE board SET closed = $1`
/** Waits for output that is being stored, as output does not lock the board. Later output is refused. */
const WAIT_FOR_OUTPUT = /* sql */ `LOCK TABLE runs IN EXCLUSIVE MODE`

/** The rows of a board, for copies. Source: docs/decisions/0083. */
export function boardRows(pool: Pool): BoardRows {
  return {
    read: async (table, after) => {
      const columns = columnsOf(table)
      const key = columns.slice(0, BOARD_TABLES[table].key).map(([name]) => name)
      const read = columns.map(([name, type]) => (type === 'bytes' ? `encode(${name}, 'hex') AS ${name}` : name))
      const sql = /* sql */ `
        SELECT ${read.join(', ')} FROM ${table} WHERE (${key.join(', ')}) > (${key.map((_, at) => `$${at + 1}`).join(', ')})
        ORDER BY ${key.join(', ')} LIMIT ${BOARD_ROWS_A_READ}`
      const rows = await pool.run(sql, ...(after ?? key.map(() => -1)))
      return rows.map(row =>
        columns.map(([name, type]) => {
          const value = row[name]
          if (value === null || value === undefined) return null
          return type === 'number' ? Number(value) : String(value)
        }),
      )
    },
    write: (table, rows) =>
      pool.transaction(async connection => {
        const columns = columnsOf(table)
        const values = columns.map(([, type], at) => (type === 'bytes' ? `decode($${at + 1}, 'hex')` : `$${at + 1}`))
        const { isNumbered } = BOARD_TABLES[table]
        const sql = /* sql */ `
          INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')})
          ${isNumbered ? 'OVERRIDING SYSTEM VALUE' : ''} VALUES (${values.join(', ')})`
        await allSettled(...rows.map(row => connection.run(sql, ...row)))
        const last = rows.at(-1)
        if (!last || !isNumbered) return
        // The next row gets a later number.
        await connection.run(
          /* sql */ `SELECT setval(pg_get_serial_sequence('${table}', 'seq'), $1)`,
          ...keyOf(table, last),
        )
      }),
    clear: () =>
      pool.transaction(async connection => {
        for (const table of BOARD_TABLE_NAMES) await connection.run(/* sql */ `DELETE FROM ${table}`)
      }),
    findClosed: async () => {
      const [row] = await pool.run(FIND_CLOSED)
      return typeof row?.closed === 'string' ? (JSON.parse(row.closed) as BoardClosed) : undefined
    },
    setClosed: closed =>
      pool.transaction(async connection => {
        await connection.run(SET_CLOSED, closed ? JSON.stringify(closed) : null)
        if (closed) await connection.run(WAIT_FOR_OUTPUT)
      }),
  }
}
