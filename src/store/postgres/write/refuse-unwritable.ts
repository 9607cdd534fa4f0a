import { AppError } from '../../../model/app-error.js'
import type { Row } from '../connection/connection.js'

/**
 * Run it after taking a lock that conflicts with marking the ledger as moved: the statement that takes the lock would
 * read the earlier state.
 */
export const READ_STATE = /* sql */ `SELECT state FROM ledger_clock`

/**
 * Refuses changes of a ledger that another one continues, or whose import is not complete.
 *
 * @param clock with its `state`
 */
export function refuseUnwritable(clock: Row | undefined): void {
  refuseMoved(clock)
  if (clock?.state === 'importing') throw importInProgress()
}

/** The same for changes that an import makes as well. */
export function refuseMoved(clock: Row | undefined): void {
  if (clock?.state === 'moved') throw ledgerMoved()
}

function ledgerMoved(): AppError {
  return new AppError('unavailable', 'ledger_moved', 'The ledger was moved: another database continues it.', {
    hint: 'Set EVENT_DB to the new place, and start the servers again. If `daybook ledger copy` was interrupted, repeat it.',
    retryAfterSeconds: 5,
  })
}

function importInProgress(): AppError {
  return new AppError('unavailable', 'import_under_way', 'An import into this ledger is not complete.', {
    hint: 'Wait for it, or repeat the command: it continues.',
    retryAfterSeconds: 5,
  })
}
