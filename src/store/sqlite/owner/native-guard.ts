import type { BigIntStats } from 'node:fs'
import { lstat, mkdir, readFile, rmdir, unlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../model/app-error.js'
import { ifPresent, isErrno } from '../files/file-system.js'
import { findNativeUser } from './native-users.js'

const POLL_MS = 50

/**
 * Keeps ordinary SQLite programs from damaging the ledger while this process has it open: `<database>-shm` becomes an
 * empty **folder**.
 *
 * The lock of node-sqlite3-wasm is a folder `<database>.lock`, which no ordinary SQLite respects. Without a guard, an
 * ordinary SQLite that opens the file would checkpoint our WAL when it closes, and delete it. In WAL mode it opens
 * `<database>-shm` for writing, fails on a folder, opens it for reading, succeeds, and then works as the reader of a
 * database that it may not write: reading works, on its own index of the WAL, and all else (writing, WAL checkpoints,
 * another journal mode, VACUUM) is refused with "attempt to write a readonly database". The guard does not stop a program
 * that sets `PRAGMA locking_mode=EXCLUSIVE`, which needs no shared memory.
 *
 * A file of that name is from an ordinary SQLite that was killed, or from one that runs. A running one has its own
 * index of the WAL in it, which our writes would not enter: if both write, they destroy the ledger. So this process
 * waits for it, up to `waitMs`, and then does not open the ledger. Only a file without a user is removed: recovery
 * rebuilds all of its content from the WAL.
 *
 * The owner calls this before it opens the database.
 *
 * @throws AppError `conflict/ledger_in_use`, naming the program
 */
export async function placeGuard(database: string, waitMs: number): Promise<void> {
  const path = `${database}-shm`
  const deadline = performance.now() + waitMs
  let removed: BigIntStats | undefined
  for (;;) {
    const user = await findNativeUser(database, { formerShm: removed })
    if (user !== undefined) {
      if (performance.now() >= deadline) throw await inUse(database, user)
      await sleep(POLL_MS)
      continue
    }
    const file = await findFile(path)
    if (file !== undefined) {
      await unlink(path)
      removed = file
    }
    const made = await makeFolder(path)
    if (removed === undefined && made) return
    if (made) {
      // A program that opened the file just before the unlink takes its lock within milliseconds.
      await sleep(POLL_MS)
      if ((await findNativeUser(database, { formerShm: removed })) === undefined) return
    }
  }
}

/** Removes the guard, after the database was closed. A folder with files in it stays. */
export async function removeGuard(database: string): Promise<void> {
  try {
    await rmdir(`${database}-shm`)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'ENOTEMPTY')) throw error
  }
}

/** @returns whether there is a folder now; false if a program has just created the file */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return (await findFile(path)) === undefined
    throw error
  }
}

/** What is at `path`, unless it is a folder. */
async function findFile(path: string): Promise<BigIntStats | undefined> {
  const found = await ifPresent(lstat(path, { bigint: true }))
  return found?.isDirectory() ? undefined : found
}

async function inUse(database: string, pid: number): Promise<AppError> {
  const message = `The database ${database} is open in another program (process ${pid}${await nameOf(pid)}).`
  return new AppError('conflict', 'ledger_in_use', message, { hint: 'Close it there, then start again.' })
}

async function nameOf(pid: number): Promise<string> {
  try {
    return `, ${(await readFile(`/proc/${pid}/comm`, 'utf8')).replace(/[\x00-\x1f\x7f]/g, '')}`
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return ''
    throw error
  }
}
