import { lineAt, listAt, timeAt } from './fields.js'
import type { Look } from './look.js'
import { runState } from './run-look.js'
import { table } from './table.js'

const COLUMNS = [
  { title: 'id' },
  { title: 'card', flexible: true },
  { title: 'mode' },
  { title: 'state' },
  { title: 'exit', align: 'right' as const },
  { title: 'asked for (UTC)' },
]

/** The answer of `GET /api/runs`. */
export function runTable(runs: unknown, look: Look): string {
  const { paint } = look
  const items = listAt(runs, 'items')
  if (items.length === 0) return paint.dim('No such runs. "daybook board runs start" starts one.')
  const rows = items.map(run => [
    lineAt(run, 'id'),
    lineAt(run, 'card_id'),
    lineAt(run, 'mode'),
    runState(run, look),
    lineAt(run, 'exit_code') || lineAt(run, 'signal'),
    timeAt(run, 'created_at'),
  ])
  const next = lineAt(runs, 'next')
  const lines = table(look, COLUMNS, rows)
  return next === '' ? lines : `${lines}\n\n${paint.dim(`Older ones: --after ${next}`)}`
}
