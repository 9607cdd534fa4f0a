import { AppError } from '../model/app-error.js'
import { acquireOwnership } from '../store/sqlite/owner/database-lock.js'

/** How long to wait for a short command that currently owns the files. */
export const OWNER_WAIT_MS = 10_000

/**
 * Runs the work of a command as the only owner of a database.
 *
 * @param work receives the real path of the database
 * @throws AppError as `acquireOwnership` and `work`
 */
export async function whileOwned<Result>(
  database: string,
  work: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  const ownership = await acquireOwnership({
    database,
    role: 'command',
    waitMs: OWNER_WAIT_MS,
    now: Date.now,
    random: Math.random,
    // Another process takes the file over only from one that seems to have ended. The work then fails, or is complete.
    onLost: () => {},
  })
  try {
    return await work(ownership.database)
  } finally {
    await ownership.release()
  }
}

/** A promise that stays pending until `reject` is called. */
export function deferredFailure(): { promise: Promise<never>; reject: (error: unknown) => void } {
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  promise.catch(() => undefined) // without a listener it would count as an unhandled rejection
  return { promise, reject }
}

/**
 * The failure of a process whose files another process owns now.
 *
 * @param files what to call them
 * @param successor the owner file of the other process; undefined if the file was removed
 */
export function ownershipLost(files: string, successor: { pid: number } | undefined): AppError {
  const reason = successor ? `process ${successor.pid} took it over` : 'its owner file was removed'
  return new AppError('unavailable', 'ledger_lost', `This process no longer owns ${files}: ${reason}.`)
}
