import { card } from './card.js'
import { at, countAt, lineAt, listAt } from './fields.js'
import { runStateText } from './run-state-text.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

/** Renders one run; for a dry one, also what it would have started. */
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

function planRows(plan: unknown): [string, string][] {
  if (typeof plan !== 'object' || plan === null) return []
  const words = listAt(plan, 'command').map(word => toTerminalLine(JSON.stringify(word)))
  return [
    ['command', 'command' in plan ? words.join(' ') || 'none is configured' : 'shown with the executor token only'],
    ['folder', lineAt(plan, 'folder')],
    ['environment', toTerminalLine(listAt(plan, 'environment').join(', '))],
  ]
}
