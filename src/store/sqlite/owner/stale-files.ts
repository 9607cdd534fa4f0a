import { lstat, rm, rmdir } from 'node:fs/promises'
import { AppError } from '../../../model/app-error.js'
import { ifPresent, isErrno } from '../files/file-system.js'
import { raiseGuard } from './native-guard.js'
import { undoHalfTransaction } from './rollback-journal.js'

/**
 * Makes the folder of a ledger fit for opening, whatever the last owner was doing when it ended: raises the guard
 * against ordinary SQLite programs (`native-guard.ts`), undoes a transaction that died in a rollback journal
 * (`rollback-journal.ts`), and removes the lock folder of node-sqlite3-wasm, which outlives a killed process, and the
 * socket. The write-ahead log is never touched: acknowledged events may live there alone.
 *
 * To be called by the owner, before it opens the database. Doing it twice is doing it once.
 *
 * @throws AppError `conflict/ledger_in_use`, `conflict/ledger_journal_stale`, `configuration/ledger_lock_foreign`,
 *   `configuration/socket_path_taken`
 */
export async function clearRemains(
  database: string,
  { socket, waitMs }: { socket: string | undefined; waitMs: number },
): Promise<void> {
  await raiseGuard(database, waitMs)
  await undoHalfTransaction(database)
  await removeLockFolder(`${database}.lock`)
  if (socket !== undefined) await removeSocket(socket)
}

/** @throws AppError `configuration/socket_path_taken` for anything that is not a socket: it is somebody's file */
export async function removeSocket(path: string): Promise<void> {
  if ((await ifPresent(lstat(path)))?.isSocket() === false) {
    throw new AppError('configuration', 'socket_path_taken', `${path} is needed for the local socket.`, {
      hint: 'Move what is there away.',
    })
  }
  await rm(path, { force: true })
}

async function removeLockFolder(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return
    if (!isErrno(error, 'ENOTEMPTY', 'ENOTDIR')) throw error
    throw new AppError('configuration', 'ledger_lock_foreign', `${path} is needed as the lock of the ledger.`, {
      hint: 'Move what is there away.',
      cause: error,
    })
  }
}
