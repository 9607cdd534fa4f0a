import { lstat, rm, rmdir } from 'node:fs/promises'
import { AppError } from '../../../model/app-error.js'
import { ifPresent, isErrno } from '../files/file-system.js'
import { placeGuard } from './native-guard.js'
import { recoverHotJournal } from './rollback-journal.js'

/**
 * Prepares the folder of a ledger for opening, in any state in which the last owner may have left it: raises the guard
 * against ordinary SQLite programs (`native-guard.ts`), rolls back an interrupted transaction (`rollback-journal.ts`), and
 * removes the lock folder of node-sqlite3-wasm, which outlives a killed process, and the socket. It never changes the WAL:
 * acknowledged events may exist only there.
 *
 * The owner calls this before it opens the database. A second call changes nothing.
 *
 * @throws AppError `conflict/ledger_in_use`, `conflict/ledger_journal_stale`, `configuration/ledger_lock_foreign`,
 *   `configuration/socket_path_taken`
 */
export async function clearStaleFiles(
  database: string,
  { socket, waitMs }: { socket: string | undefined; waitMs: number },
): Promise<void> {
  await placeGuard(database, waitMs)
  await recoverHotJournal(database)
  await removeLockFolder(`${database}.lock`)
  if (socket !== undefined) await removeSocket(socket)
}

/** @throws AppError `configuration/socket_path_taken` for a file that is not a socket: it is of another program */
export async function removeSocket(path: string): Promise<void> {
  if ((await ifPresent(lstat(path)))?.isSocket() === false) {
    throw new AppError('configuration', 'socket_path_taken', `${path} is needed for the local socket.`, {
      hint: 'Move that file or folder away.',
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
      hint: 'Move that file or folder away.',
      cause: error,
    })
  }
}
