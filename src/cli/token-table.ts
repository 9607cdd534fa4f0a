import { lineAt, listAt, timeAt } from './fields.js'
import type { Look } from './look.js'
import { table } from './table.js'

const COLUMNS = [{ title: 'id' }, { title: 'begins with' }, { title: 'created (UTC)' }, { title: 'last used (UTC)' }]

/** The answer of `GET /api/users/{id}/tokens`. */
export function tokenTable(tokens: unknown, look: Look): string {
  const items = listAt(tokens, 'items')
  if (items.length === 0) return look.paint.dim('No tokens. Issue one with "daybook users token".')
  const rows = items.map(token => [
    lineAt(token, 'id'),
    lineAt(token, 'prefix'),
    timeAt(token, 'created_at'),
    timeAt(token, 'last_used_at') || 'never',
  ])
  return table(look, COLUMNS, rows)
}
