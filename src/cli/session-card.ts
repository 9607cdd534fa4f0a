import { card } from './card.js'
import { at, lineAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'
import { tokenRights } from './token-rights.js'

/** Renders the response of `GET /api/session`. */
export function sessionCard(session: unknown, style: TerminalStyle): string {
  const needsLogin = at(session, 'admin_required') !== false
  return card(style, `You are ${whoOf(session, style)}`, [
    ['role', lineAt(session, 'user', 'role')],
    ['id', lineAt(session, 'user', 'id')],
    ['token may', at(session, 'may') === 'write' ? `${tokenRights(session)}, and read nothing` : ''],
    ['login', needsLogin ? 'needed for reading' : 'not needed: this ledger has no users'],
  ])
}

function whoOf(session: unknown, { paint }: TerminalStyle): string {
  if (at(session, 'is_bootstrap_admin') === true) return paint.cyan('the bootstrap admin')
  return at(session, 'authenticated') === true
    ? paint.cyan(lineAt(session, 'user', 'username'))
    : paint.yellow('not logged in')
}
