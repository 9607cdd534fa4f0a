import { AppError, type ErrorCategory } from '../../../model/app-error.js'
import { FILE_REASONS } from './file-system.js'

interface Refusal {
  category: ErrorCategory
  code: string
  hint: string
}

const DENIED: Refusal = {
  category: 'configuration',
  code: 'ledger_folder_denied',
  hint: 'Give this user the rights to the folder and its files, or choose another database.',
}
const MISSING: Refusal = {
  category: 'configuration',
  code: 'ledger_folder_missing',
  hint: 'Choose another database.',
}
const READ_ONLY: Refusal = {
  category: 'configuration',
  code: 'ledger_folder_read_only',
  hint: 'Mount it writable, or choose another database.',
}
const FULL: Refusal = {
  category: 'unavailable',
  code: 'store_full',
  hint: 'Make room and try again; nothing stored is affected.',
}
const FAILING: Refusal = {
  category: 'unavailable',
  code: 'ledger_folder_failing',
  hint: 'Try again. If the error persists, read the system log.',
}

const BY_ERRNO: Partial<Record<string, Refusal>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  ENOENT: MISSING,
  ENOTDIR: MISSING,
  ENAMETOOLONG: MISSING,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EIO: FAILING,
  EMFILE: FAILING,
  ENFILE: FAILING,
}

/**
 * Translates the failure of a file operation on a database into an expected error. Other errors are returned as they are,
 * for the caller to throw.
 *
 * Codes: `configuration/ledger_folder_denied`, `configuration/ledger_folder_read_only`,
 * `configuration/ledger_folder_missing`, `unavailable/store_full`, `unavailable/ledger_folder_failing`.
 */
export function toFileError(error: unknown, database: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const errno = (error as NodeJS.ErrnoException).code ?? ''
  const refusal = BY_ERRNO[errno]
  if (!refusal) return error
  const message = `The database ${database} cannot be used: ${FILE_REASONS[errno]}.`
  return new AppError(refusal.category, refusal.code, message, { hint: refusal.hint, cause: error })
}
