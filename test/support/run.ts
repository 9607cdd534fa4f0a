import type { Run } from '../../src/model/board/run.js'

/** A run of the board that waits for its turn; everything may be overridden. */
export function queuedRun(changes: Partial<Run> = {}): Run {
  return {
    id: 'run_1',
    card_id: 'card_1',
    mode: 'mock',
    state: 'queued',
    reason: null,
    exit_code: null,
    signal: null,
    created_at: '2027-01-15T08:00:00.000000Z',
    started_at: null,
    finished_at: null,
    timeout_seconds: 60,
    log_bytes: 0,
    log_dropped_bytes: 0,
    plan: null,
    ...changes,
  }
}
