import type { BackendCheck } from '../model/backend-check.js'
import type { Look } from './look.js'
import { table } from './table.js'
import { toTerminalLine } from './terminal-text.js'

const COLUMNS = [{ title: 'backend' }, { title: 'address' }, { title: 'state' }, { title: 'version' }]

/** What was found out about every profile; what is wrong with one follows below, in full. */
export function backendsTable(checks: readonly BackendCheck[], look: Look): string {
  const { paint } = look
  if (checks.length === 0) return paint.dim('No backends. They are named in backends.json, in the folder of the board.')
  const rows = checks.map(({ name, url, problem, version }) => [
    toTerminalLine(name),
    toTerminalLine(url ?? ''),
    problem ? paint.red(STATES[problem.code]) : paint.green('ok'),
    toTerminalLine(version ?? ''),
  ])
  const details = checks.flatMap(({ name, problem }) => (problem ? [toTerminalLine(`${name}: ${problem.detail}`)] : []))
  return [table(look, COLUMNS, rows), ...(details.length > 0 ? ['', ...details] : [])].join('\n')
}

const STATES: Record<NonNullable<BackendCheck['problem']>['code'], string> = {
  backends_invalid: 'unusable',
  backend_refuses: 'refused',
  not_a_board: 'no board',
  server_unreachable: 'unreachable',
}
