import { at, lineAt, listAt, timeAt } from './fields.js'
import type { Look } from './look.js'
import { table } from './table.js'

const COLUMNS = [
  { title: 'username', flexible: true },
  { title: 'role' },
  { title: 'on' },
  { title: 'id' },
  { title: 'created (UTC)' },
]

/** The answer of `GET /api/users`. */
export function userTable(users: unknown, look: Look): string {
  const items = listAt(users, 'items')
  if (items.length === 0) return look.paint.dim('No users. Create one with "daybook users create".')
  const rows = items.map(user => [
    lineAt(user, 'username'),
    lineAt(user, 'role'),
    at(user, 'enabled') === false ? 'no' : 'yes',
    lineAt(user, 'id'),
    timeAt(user, 'created_at'),
  ])
  return table(look, COLUMNS, rows)
}
