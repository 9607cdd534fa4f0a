import { card } from './card.js'
import { at, countAt, lineAt, listAt } from './fields.js'
import type { Look } from './look.js'
import { runState } from './run-look.js'
import { toTerminalLine } from './terminal-text.js'

/** One run, and what it would have started if it is a dry one. */
export function runCard(run: unknown, look: Look): string {
  const dropped = at(run, 'log_dropped_bytes')
  const isCut = typeof dropped === 'number' && dropped > 0
  return card(look, `Run ${look.paint.cyan(lineAt(run, 'id'))}, ${runState(run, look)}`, [
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
      `${countAt(run, 'log_bytes')} bytes${isCut ? `; ${countAt(run, 'log_dropped_bytes')} before them gave way` : ''}`,
    ],
    ...planRows(at(run, 'plan')),
  ])
}

function planRows(plan: unknown): [string, string][] {
  if (typeof plan !== 'object' || plan === null) return []
  const words = listAt(plan, 'command').map(word => toTerminalLine(JSON.stringify(word)))
  return [
    ['command', words.join(' ') || 'none is configured'],
    ['folder', lineAt(plan, 'folder')],
    ['environment', toTerminalLine(listAt(plan, 'environment').join(', '))],
  ]
}
