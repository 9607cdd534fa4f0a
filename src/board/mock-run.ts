import { setTimeout as delay } from 'node:timers/promises'
import type { RunLog } from './run-log.js'
import type { RunOutcome, StopReason } from './run-process.js'

const STEPS = 3

/** Pretends a successful run, and starts nothing. @param stop aborted with a `StopReason` */
export async function mockRun(log: RunLog, stop: AbortSignal, stepMs: number): Promise<RunOutcome> {
  log.note('This is a mock run: nothing is started.')
  for (let step = 1; step <= STEPS; step++) {
    await delay(stepMs, undefined, { signal: stop }).catch(whenStopped)
    if (stop.aborted) return { state: stop.reason as StopReason, reason: null, exit_code: null, signal: null }
    log.line(`Step ${step} of ${STEPS}.`)
  }
  return { state: 'done', reason: null, exit_code: 0, signal: null }
}

function whenStopped(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
}
