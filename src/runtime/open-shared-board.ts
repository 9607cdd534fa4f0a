import { type PostgresAddress, shownAddress } from '../model/postgres-address.js'
import { openPostgresBoard } from '../store/postgres/board/board-store.js'
import type { OpenBoard } from './open-board.js'
import { deferredFailure } from './ownership.js'

/**
 * Opens a board in PostgreSQL; creates or upgrades its tables if necessary. There is no owner: any number of processes may
 * have it open.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`, `configuration/store_foreign`
 */
export async function openSharedBoard(address: PostgresAddress): Promise<OpenBoard> {
  const store = await openPostgresBoard(address)
  // Never rejects: an unreachable database may come back. Until then requests fail, and the process continues.
  const { promise: failed } = deferredFailure()
  return { store, database: shownAddress(address), engine: 'postgres', failed, close: () => store.close() }
}
