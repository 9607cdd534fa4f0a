import { card } from '../terminal/card.js'
import { at, countAt, lineAt, listAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

/** Renders one run. For a dry run, includes what a real run would have started. */
export function runCard(run: unknown, style: TerminalStyle): string {
  const dropped = at(run, 'log_dropped_bytes')
  const isCut = typeof dropped === 'number' && dropped > 0
  return card(style, `Run ${style.paint.cyan(lineAt(run, 'id'))}, ${runStateText(run, style)}`, [
    ['card', lineAt(run, 'card_id')],
    ['mode', lineAt(run, 'mode')],
    ['exit code', lineAt(run, 'exit_code')],
    ['signal', lineAt(run, 'signal')],
    ['asked for', lineAt(run, 'created_at')],
    ['started', lineAt(run, 'started_at')],
    ['finished', lineAt(run, 'finished_at')],
    ['time limit', `${countAt(run, 'timeout_seconds')} s`],
    [
      'log',
      `${countAt(run, 'log_bytes')} bytes${isCut ? `; ${countAt(run, 'log_dropped_bytes')} before them dropped` : ''}`,
    ],
    ...planRows(at(run, 'plan')),
  ])
}

/** Renders the state of the executor. */
export function executorCard(status: unknown, style: TerminalStyle): string {
  const { paint } = style
  const state = at(status, 'paused') === true ? paint.yellow('paused') : paint.green('starts runs')
  return card(style, `Executor: ${state}`, [
    ['running', lineAt(status, 'running') || 'nothing'],
    ['queued', countAt(status, 'queued')],
    ['real runs', at(status, 'real') === true ? 'possible' : 'off: no executor token or no command is configured'],
    ...planRows(at(status, 'plan')),
  ])
}

function planRows(plan: unknown): [string, string][] {
  if (typeof plan !== 'object' || plan === null) return []
  const words = listAt(plan, 'command').map(word => toTerminalLine(JSON.stringify(word)))
  return [
    ['command', 'command' in plan ? words.join(' ') || 'none is configured' : 'shown with the executor token only'],
    ['folder', lineAt(plan, 'folder')],
    ['environment', toTerminalLine(listAt(plan, 'environment').join(', '))],
  ]
}

const COLUMNS = [
  { title: 'id' },
  { title: 'card', flexible: true },
  { title: 'mode' },
  { title: 'state' },
  { title: 'exit', align: 'right' as const },
  { title: 'asked for (UTC)' },
]

/** Renders the response of `GET /api/runs`. */
export function runTable(runs: unknown, style: TerminalStyle): string {
  const { paint } = style
  const items = listAt(runs, 'items')
  if (items.length === 0) return paint.dim('No such runs. "daybook board runs start" starts one.')
  const rows = items.map(run => [
    lineAt(run, 'id'),
    lineAt(run, 'card_id'),
    lineAt(run, 'mode'),
    runStateText(run, style),
    lineAt(run, 'exit_code') || lineAt(run, 'signal'),
    timeAt(run, 'created_at'),
  ])
  const next = lineAt(runs, 'next')
  const lines = table(style, COLUMNS, rows)
  return next === '' ? lines : `${lines}\n\n${paint.dim(`Older ones: --after ${next}`)}`
}

/** The state of a run, coloured by success or failure, and the reason of a failure. */
function runStateText(run: unknown, { paint }: TerminalStyle): string {
  const state = lineAt(run, 'state')
  const reason = lineAt(run, 'reason')
  if (state === 'failed') return paint.red(reason === '' ? state : `${state} (${reason})`)
  return state === 'done' ? paint.green(state) : paint.yellow(state)
}
