import { AppError, type ErrorCategory } from '../../../model/app-error.js'

interface Refusal {
  category: ErrorCategory
  code: string
  reason: string
  hint: string
}

const DENIED: Refusal = {
  category: 'configuration',
  code: 'ledger_folder_denied',
  reason: 'this user may not read and write there',
  hint: 'Give this user the rights to the folder and its files, or choose another database.',
}
const MISSING: Refusal = {
  category: 'configuration',
  code: 'ledger_folder_missing',
  reason: 'there is no such folder, or its name is too long',
  hint: 'Choose another database.',
}
const FULL: Refusal = {
  category: 'unavailable',
  code: 'store_full',
  reason: 'the disk is full',
  hint: 'Make room and try again; nothing stored is affected.',
}
const FAILING: Refusal = {
  category: 'unavailable',
  code: 'ledger_folder_failing',
  reason: 'the file system answered with an error',
  hint: 'Try again, and look at the system log if it stays.',
}

const BY_ERRNO: Partial<Record<string, Refusal>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: {
    category: 'configuration',
    code: 'ledger_folder_read_only',
    reason: 'the file system is mounted read-only',
    hint: 'Mount it writable, or choose another database.',
  },
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
 * Turns what the file system refused about a ledger's files into an expected failure; anything else comes back as it
 * was, to be thrown on.
 *
 * Codes: `configuration/ledger_folder_denied`, `configuration/ledger_folder_read_only`,
 * `configuration/ledger_folder_missing`, `unavailable/store_full`, `unavailable/ledger_folder_failing`.
 */
export function toFileError(error: unknown, database: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const refusal = BY_ERRNO[(error as NodeJS.ErrnoException).code ?? '']
  if (refusal === undefined) return error
  const message = `The database ${database} cannot be used: ${refusal.reason}.`
  return new AppError(refusal.category, refusal.code, message, { hint: refusal.hint, cause: error })
}

/** True for the `code` of a failed file operation, so that callers branch on codes and never on text. */
export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
