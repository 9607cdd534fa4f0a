import { counted } from '../../model/counted.js'
import { CHECK_NAMES, type CheckState, type Diagnosis } from '../../model/diagnosis.js'
import type { TerminalStyle } from '../terminal/style.js'
import { toTerminalLine } from '../terminal/text.js'

const STATES: Record<CheckState, string> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }
const WIDTH = Math.max(...CHECK_NAMES.map(name => name.length))

/** Renders a line for each finding, with the advice below it. */
export function diagnosisText({ checks }: Diagnosis, { paint }: TerminalStyle): string {
  const colours: Record<CheckState, (text: string) => string> = { ok: paint.green, warn: paint.yellow, fail: paint.red }
  const lines = checks.flatMap(({ check, state, detail, advice }) => {
    const line = `${colours[state](STATES[state])}  ${check.padEnd(WIDTH)}  ${toTerminalLine(detail)}`
    return advice === null ? [line] : [line, `${' '.repeat(WIDTH + 8)}${toTerminalLine(advice)}`]
  })
  return [...lines, '', summary(checks.map(({ state }) => state))].join('\n')
}

function summary(states: readonly CheckState[]): string {
  const count = (state: CheckState) => states.filter(found => found === state).length
  const [failures, warnings] = [count('fail'), count('warn')]
  if (failures + warnings === 0) return 'Everything is in order.'
  return `${counted(failures, 'failure')} and ${counted(warnings, 'warning')}.`
}
