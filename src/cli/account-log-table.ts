import { at, lineAt, listAt, timeAt } from './fields.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

const COLUMNS = [
  { title: 'when (UTC)' },
  { title: 'what' },
  { title: 'to whom' },
  { title: 'changes', flexible: true },
  { title: 'by' },
  { title: 'from' },
]

/** Renders the response of `GET /api/users/log`. */
export function accountLogTable(log: unknown, style: TerminalStyle): string {
  const items = listAt(log, 'items')
  if (items.length === 0) return style.paint.dim('No changes to users and tokens yet.')
  const rows = items.map(entry => [
    timeAt(entry, 'at'),
    lineAt(entry, 'action')
      .replace(/^ledger\./, '')
      .replaceAll('_', ' '),
    lineAt(entry, 'user', 'username') || '-',
    toTerminalLine(changesText(at(entry, 'changes'))),
    lineAt(entry, 'by', 'user', 'username') || lineAt(entry, 'by', 'identity').replaceAll('_', ' '),
    lineAt(entry, 'address') || '-',
  ])
  return table(style, COLUMNS, rows)
}

/** `role member → admin, password changed` */
function changesText(changes: unknown): string {
  if (typeof changes !== 'object' || changes === null) return ''
  const texts = Object.entries(changes).map(([member, change]) => {
    if (typeof change === 'string') return `${member} ${change}`
    if (member === 'token') return `token ${lineAt(change, 'prefix') || lineAt(change, 'id')}`
    const [from, to] = [at(change, 'from') ?? null, at(change, 'to') ?? null]
    if (from === null) return `${member} ${to}`
    return to === null ? `${member} was ${from}` : `${member} ${from} → ${to}`
  })
  return texts.join(', ')
}
