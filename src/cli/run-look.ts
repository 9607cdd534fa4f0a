import { lineAt } from './fields.js'
import type { Look } from './look.js'

/** The state of a run, in a colour where it went wrong or well, and the reason of a failure. */
export function runState(run: unknown, { paint }: Look): string {
  const state = lineAt(run, 'state')
  const reason = lineAt(run, 'reason')
  if (state === 'failed') return paint.red(reason === '' ? state : `${state} (${reason})`)
  return state === 'done' ? paint.green(state) : paint.yellow(state)
}
