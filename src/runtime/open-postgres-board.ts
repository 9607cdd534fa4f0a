import { type PostgresAddress, shownAddress } from '../model/postgres-address.js'
import { openPostgresBoardStore } from '../store/postgres/board/board-store.js'
import type { OpenBoard } from './open-board.js'
import { deferredFailure } from './ownership.js'

/**
 * Opens a board in PostgreSQL; creates or upgrades its tables if necessary. There is no owner: any number of processes may
 * have it open.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`, `configuration/store_foreign`
 */
export async function openPostgresBoard(address: PostgresAddress): Promise<OpenBoard> {
  const store = await openPostgresBoardStore(address)
  // Never rejects: an unreachable database may come back. Until then requests fail, and the process continues.
  const { promise: failed } = deferredFailure()
  return { store, database: shownAddress(address), engine: 'postgres', failed, close: () => store.close() }
}
