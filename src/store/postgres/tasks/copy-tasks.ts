import type { CopyStore, ImportMark } from '../../copy-store.js'
import type { Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { readCopyPage } from '../read/copy-page.js'
import { writeCopies } from '../write/event-copies.js'

const FIND_MARK = /* sql */ `SELECT value FROM meta WHERE name = 'import'`
const SAVE_MARK = /* sql */ `
  INSERT INTO meta (name, value) VALUES ('import', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE_MARK = /* sql */ `DELETE FROM meta WHERE name = 'import'`
const SET_EPOCH = /* sql */ `UPDATE meta SET value = $1 WHERE name = 'epoch'`
/** Servers that have the ledger open record nothing until it is complete. */
const SET_STATE = /* sql */ `UPDATE ledger_clock SET state = $1`

/** The methods of `CopyStore`, in the order of the contract. */
export function copyTasks(pool: Pool): CopyStore {
  return {
    read: range => pool.use(connection => readCopyPage(connection, range)),
    write: step => pool.use(connection => writeCopies(connection, step)),
    findMark: async () => {
      const [row] = await pool.run(FIND_MARK)
      return row ? (JSON.parse(String(row.value)) as ImportMark) : null
    },
    saveMark: (mark, epoch) => pool.transaction(connection => saveMark(connection, mark, epoch)),
  }
}

async function saveMark(connection: Connection, mark: ImportMark | null, epoch: string | undefined): Promise<void> {
  await connection.run(SET_STATE, mark ? 'importing' : 'open')
  if (mark) await connection.run(SAVE_MARK, JSON.stringify(mark))
  else await connection.run(DELETE_MARK)
  if (epoch !== undefined) await connection.run(SET_EPOCH, epoch)
}
