import { lineAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'

/** The state of a run, coloured by success or failure, and the reason of a failure. */
export function runStateText(run: unknown, { paint }: TerminalStyle): string {
  const state = lineAt(run, 'state')
  const reason = lineAt(run, 'reason')
  if (state === 'failed') return paint.red(reason === '' ? state : `${state} (${reason})`)
  return state === 'done' ? paint.green(state) : paint.yellow(state)
}
