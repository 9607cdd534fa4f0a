import type { CardAction } from '../../model/board/card-history.js'
import type { Run, RunMode, RunPlan, RunState } from '../../model/board/run.js'
import { numberOrNull, textOrNull } from './columns.js'

/** A run from its row. */
export function toRun(row: Readonly<Record<string, unknown>>): Run {
  return {
    id: String(row.id),
    card_id: String(row.card_id),
    mode: row.mode as RunMode,
    state: row.state as RunState,
    reason: textOrNull(row.reason),
    exit_code: numberOrNull(row.exit_code),
    signal: textOrNull(row.signal),
    created_at: String(row.created_at),
    started_at: textOrNull(row.started_at),
    finished_at: textOrNull(row.finished_at),
    timeout_seconds: Number(row.timeout_seconds),
    log_bytes: Number(row.log_bytes),
    log_dropped_bytes: Number(row.log_dropped_bytes),
    plan: row.plan === null ? null : (JSON.parse(String(row.plan)) as RunPlan),
  }
}

/** The history entry for the end of a run. */
export function endOf({ id, mode, state }: Run): CardAction {
  return state === 'cancelled'
    ? { action: 'run_cancelled', run: id, mode }
    : { action: 'run_ended', run: id, mode, state }
}
