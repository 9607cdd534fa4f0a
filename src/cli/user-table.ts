import { at, lineAt, listAt, timeAt } from './fields.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'

const COLUMNS = [
  { title: 'username', flexible: true },
  { title: 'role' },
  { title: 'on' },
  { title: 'id' },
  { title: 'created (UTC)' },
]

/** Renders the response of `GET /api/users`. */
export function userTable(users: unknown, style: TerminalStyle): string {
  const items = listAt(users, 'items')
  if (items.length === 0) return style.paint.dim('No users. Create one with "daybook users create".')
  const rows = items.map(user => [
    lineAt(user, 'username'),
    lineAt(user, 'role'),
    at(user, 'enabled') === false ? 'no' : 'yes',
    lineAt(user, 'id'),
    timeAt(user, 'created_at'),
  ])
  return table(style, COLUMNS, rows)
}
