import { AppError } from '../../../model/app-error.js'
import type { FileDifference, FileFault } from './open-files.js'
import type { Rescue } from './rescue.js'

const FAULTS: Record<FileFault, string> = {
  removed: 'is gone',
  replaced: 'was replaced',
  changed: 'was cut or overwritten',
}

/** The files of a database are no longer on the disk as they were opened. */
export function lostFiles(noun: string, differences: readonly FileDifference[]): AppError {
  const found = differences.map(({ path, fault }) => `${path} ${FAULTS[fault]}`).join(', ')
  return lost(`The ${noun} database is no longer the one on the disk: ${found}. Nothing more is stored.`)
}

/** The same failure, with where its rows are now and how to go on. */
export function savedFiles(error: AppError, path: string, saved: Rescue | undefined): AppError {
  if (saved === undefined) return lost(`${error.message} All that was acknowledged is in ${path}.`)
  const { database, journal, isWhole } = saved
  const files = journal === undefined ? database : `${database} and ${journal}`
  if (!isWhole) {
    const hint = 'Restore a backup; the rows that can still be read there are newer than it.'
    return lost(`${error.message} Some of its bytes are lost; what is left is in ${files}.`, hint)
  }
  const away = `Move what is left of ${path} and ${path}-wal away`
  const back = journal === undefined ? `${database} to ${path}` : `${database} to ${path}, ${journal} to ${path}-wal`
  return lost(`${error.message} All that was acknowledged is in ${files}.`, `${away}, rename ${back}, and start again.`)
}

/** The same failure, while its rows are in the memory of this process and in files that have no name. */
export function unsavedFiles(error: AppError, path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const hint = 'Make room for a copy and leave this process running: it tries again every two seconds.'
  return lost(`${error.message} What it held cannot be saved beside ${path} yet (${reason}).`, hint)
}

function lost(message: string, hint?: string): AppError {
  return new AppError('unavailable', 'ledger_lost', message, {
    ...(hint === undefined ? {} : { hint }),
    retryAfterSeconds: 60,
  })
}
