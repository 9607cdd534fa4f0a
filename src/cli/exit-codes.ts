import { AppError, type ErrorCategory } from '../model/app-error.js'
import type { Fault } from '../model/diagnosis.js'

export const EXIT_DEFECT = 1
export const EXIT_TRY_AGAIN = 75

/** Exit codes for scripts. Codes from 64 on are those of sysexits.h. */
const EXIT_CODES: Record<ErrorCategory, number> = {
  internal: EXIT_DEFECT,
  invalid: 2,
  too_large: 2,
  unsupported_type: 2,
  headers_too_large: 2,
  not_found: 3,
  gone: 3,
  unauthenticated: 4,
  forbidden: 4,
  conflict: 5,
  outdated: 5,
  unavailable: EXIT_TRY_AGAIN,
  throttled: EXIT_TRY_AGAIN,
  misdirected: 78,
  configuration: 78,
}

/** There is no server. A server that asks to retry later has another code. */
const UNREACHABLE = 69
const UNREACHABLE_CODES: readonly string[] = ['server_unreachable', 'not_a_ledger', 'not_a_board']

/** A retry cannot help: the operator has to restore a backup. */
const DAMAGED_CODES: readonly string[] = ['store_corrupt']

/** A server answers this while it ends. */
const LOST_CODES: readonly string[] = ['ledger_lost']

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof AppError)) return EXIT_DEFECT
  if (DAMAGED_CODES.includes(error.code)) return EXIT_CODES.configuration
  if (LOST_CODES.includes(error.code)) return EXIT_CODES.conflict
  return UNREACHABLE_CODES.includes(error.code) ? UNREACHABLE : EXIT_CODES[error.category]
}

/** Exit codes of `daybook doctor`, worst first. */
const FAULT_CODES: Record<Fault, number> = {
  damaged: EXIT_DEFECT,
  configuration: EXIT_CODES.configuration,
  conflict: EXIT_CODES.conflict,
  refused: EXIT_CODES.forbidden,
  temporary: EXIT_TRY_AGAIN,
  unreachable: UNREACHABLE,
}

/** The exit code of the worst fault; 0 without any. */
export function exitCodeOfFaults(faults: readonly (Fault | null)[]): number {
  const worst = (Object.keys(FAULT_CODES) as Fault[]).find(fault => faults.includes(fault))
  return worst === undefined ? 0 : FAULT_CODES[worst]
}
