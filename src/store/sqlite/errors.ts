import { AppError } from '../../model/app-error.js'

/**
 * What can go wrong with a database file, told from the driver's text: node-sqlite3-wasm gives its errors no code.
 * This table is the only place that looks at those texts.
 */
const KNOWN: readonly { text: RegExp; error: (cause: unknown) => AppError }[] = [
  {
    text: /database or disk is full/i,
    error: cause =>
      new AppError('unavailable', 'store_full', 'The disk is full; nothing was stored.', {
        hint: 'Free some space: the ledger goes on by itself.',
        retryAfterSeconds: 5,
        cause,
      }),
  },
  {
    text: /readonly database|read-only/i,
    error: cause =>
      new AppError('unavailable', 'store_read_only', 'The ledger database cannot be written.', {
        hint: 'Check the permissions of the file, its folder and its disk.',
        retryAfterSeconds: 5,
        cause,
      }),
  },
  {
    text: /malformed|not a database|corrupt/i,
    error: cause =>
      new AppError('unavailable', 'store_corrupt', 'The ledger database is damaged or is not a database.', {
        hint: 'Stop the server and restore the file from a backup.',
        retryAfterSeconds: 60,
        cause,
      }),
  },
  {
    text: /database is locked/i,
    error: cause =>
      new AppError('unavailable', 'store_locked', 'Another program holds the ledger database.', {
        hint: 'Close it and try again.',
        retryAfterSeconds: 5,
        cause,
      }),
  },
  {
    text: /disk i\/o error|unable to open|could not open/i,
    error: cause =>
      new AppError('unavailable', 'store_failed', 'The ledger database cannot be read or written.', {
        hint: 'Check the disk, the folder and their permissions.',
        retryAfterSeconds: 5,
        cause,
      }),
  },
]

/** Turns a failure of the driver into what it means for a caller; anything unknown stays the defect that it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  return KNOWN.find(known => known.text.test(error.message))?.error(error) ?? error
}
