import type { Run, RunMode, RunPlan, RunState } from '#model/board/run'
import { toMs } from '../../shared/words/time.js'

export const MODE_NAMES: Record<RunMode, string> = { dry_run: 'Dry run', mock: 'Mock run', real: 'Real run' }

export const STATE_NAMES: Record<RunState, string> = {
  queued: 'Queued',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
}

export function isOver({ state }: Pick<Run, 'state'>): boolean {
  return state !== 'queued' && state !== 'running'
}

/** `1:42`, `1:00:05` */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (amount: number) => String(amount).padStart(2, '0')
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

export function waitedMs({ created_at, started_at, finished_at }: Run, now: number): number {
  return (started_at ? toMs(started_at) : finished_at ? toMs(finished_at) : now) - toMs(created_at)
}

/** Running time in milliseconds: until `now` for a run in progress, 0 for one that never ran. */
export function ranMs({ started_at, finished_at }: Run, now: number): number {
  return started_at === null ? 0 : (finished_at ? toMs(finished_at) : now) - toMs(started_at)
}

/** The reason why a run did not succeed, as a sentence; empty if there is none. */
export function runFailureReason({ state, reason, exit_code, signal, timeout_seconds }: Run): string {
  if (state === 'interrupted') return 'The server stopped during the run.'
  if (state !== 'failed') return ''
  if (reason === 'exit') return `The program ended with exit code ${exit_code}.`
  if (reason === 'signal') return `The program was terminated by ${signal}.`
  if (reason === 'timeout') return `It was terminated after the time limit of ${stopwatch(timeout_seconds * 1000)}.`
  return reason === 'not_started' ? 'The program could not be started.' : ''
}

/** A command for display; words with blanks are quoted. Not for a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}

export function programWords({ command }: RunPlan): string {
  if (command === undefined) return 'shown with the executor token only'
  return command === null ? 'none is configured' : commandLine(command)
}

/** The last digits of an id, at most four: enough to distinguish ids on one screen. */
export function shortId(id: string): string {
  return /[^_-]{0,4}$/.exec(id)?.[0] ?? id
}
