import type { Run, RunMode, RunPlan } from '../model/board/run.js'

/** What a real run starts. */
export interface ExecutorSettings {
  /** Program and arguments; absent: real runs are not possible. */
  command?: readonly string[]
  timeoutSeconds: number
  /** The variables that the program receives from the server's environment. */
  environment: Readonly<Record<string, string>>
  /** The working folder, as an absolute path. */
  folder: string
}

const MARKER = 'DAYBOOK_RUN_MARKER'

/** A requested run. A dry run is complete immediately, and its plan shows what a real run would start. */
export function toNewRun(
  { id, cardId, mode, at }: { id: string; cardId: string; mode: RunMode; at: string },
  settings: ExecutorSettings,
): Run {
  const run: Run = {
    id,
    card_id: cardId,
    mode,
    state: 'queued',
    reason: null,
    exit_code: null,
    signal: null,
    created_at: at,
    started_at: null,
    finished_at: null,
    timeout_seconds: settings.timeoutSeconds,
    log_bytes: 0,
    log_dropped_bytes: 0,
    plan: null,
  }
  return mode === 'dry_run' ? { ...run, state: 'done', started_at: at, finished_at: at, plan: toPlan(settings) } : run
}

/** What a real run would start. */
export function toPlan({ command, folder, environment, timeoutSeconds }: ExecutorSettings): RunPlan {
  return {
    command: command ? [...command] : null,
    folder,
    environment: [...Object.keys(environment), ...Object.keys(toOwnVariables({ runId: '', cardId: '', marker: '' }))],
    timeout_seconds: timeoutSeconds,
  }
}

/** The variables that we add to the program's environment. */
export function toOwnVariables({ runId, cardId, marker }: { runId: string; cardId: string; marker: string }) {
  return { DAYBOOK_RUN_ID: runId, DAYBOOK_CARD_ID: cardId, [MARKER]: marker }
}

/** The entry in the environment that identifies the processes of a run. */
export function markOf(marker: string): string {
  return `${MARKER}=${marker}`
}
