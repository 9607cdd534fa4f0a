import { lineAt, listAt, timeAt } from './fields.js'
import { runStateText } from './run-state-text.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'

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
