import { lineAt, listAt, timeAt } from './fields.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'
import { tokenRights } from './token-rights.js'

const COLUMNS = [
  { title: 'id' },
  { title: 'begins with' },
  { title: 'may' },
  { title: 'created (UTC)' },
  { title: 'last used (UTC)' },
]

/** Renders the response of `GET /api/users/{id}/tokens`. */
export function tokenTable(tokens: unknown, style: TerminalStyle): string {
  const items = listAt(tokens, 'items')
  if (items.length === 0) return style.paint.dim('No tokens. Issue one with "daybook users token".')
  const rows = items.map(token => [
    lineAt(token, 'id'),
    lineAt(token, 'prefix'),
    tokenRights(token),
    timeAt(token, 'created_at'),
    timeAt(token, 'last_used_at') || 'never',
  ])
  return table(style, COLUMNS, rows)
}
