/** The checks of `daybook doctor`, in the order of its report. */
export const CHECK_NAMES = [
  ...(['node', 'settings', 'files', 'disk', 'owner', 'ledger', 'clock', 'backups'] as const),
  ...(['webhooks', 'watches', 'chat', 'server', 'board'] as const),
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

/** `warn`: it works, and something needs attention. `fail`: something does not work. */
export type CheckState = 'ok' | 'warn' | 'fail'

/** Why something does not work; the exit code is derived from it. */
export type Fault = 'damaged' | 'configuration' | 'conflict' | 'refused' | 'temporary' | 'unreachable'

/** The result of one check. No member ever contains a secret. */
export interface Finding {
  state: CheckState
  /** A sentence. */
  detail: string
  /** What to do, as a sentence; null if there is nothing to do, or if `detail` includes it. */
  advice: string | null
  /** Null unless `state` is `fail`. */
  fault: Fault | null
}

export interface CheckedFinding extends Finding {
  check: CheckName
}

/** The result of `daybook doctor`. */
export interface Diagnosis {
  /** The worst state of all findings. */
  state: CheckState
  version: string
  checks: readonly CheckedFinding[]
}

export function ok(detail: string): Finding {
  return { state: 'ok', detail, advice: null, fault: null }
}

export function warning(detail: string, advice: string | null = null): Finding {
  return { state: 'warn', detail, advice, fault: null }
}

export function failing(fault: Fault, detail: string, advice: string | null = null): Finding {
  return { state: 'fail', detail, advice, fault }
}
