import type { BackendCheck } from '../../model/board/backend-check.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

const COLUMNS = [{ title: 'backend' }, { title: 'address' }, { title: 'state' }, { title: 'version' }]

/** A table of all profiles, followed by the full text of each problem. */
export function backendsTable({ items: checks }: { items: readonly BackendCheck[] }, style: TerminalStyle): string {
  const { paint } = style
  if (checks.length === 0) return paint.dim('No backends. Add them to backends.json, in the folder of the board.')
  const rows = checks.map(({ name, url, problem, version }) => [
    toTerminalLine(name),
    toTerminalLine(url ?? ''),
    problem ? paint.red(STATES[problem.code]) : paint.green('ok'),
    toTerminalLine(version ?? ''),
  ])
  const details = checks.flatMap(({ name, problem }) => (problem ? [toTerminalLine(`${name}: ${problem.detail}`)] : []))
  return [table(style, COLUMNS, rows), ...(details.length > 0 ? ['', ...details] : [])].join('\n')
}

const STATES: Record<NonNullable<BackendCheck['problem']>['code'], string> = {
  backends_invalid: 'unusable',
  backend_refuses: 'refused',
  not_a_board: 'no board',
  server_unreachable: 'unreachable',
}
