import { card } from './card.js'
import { at, lineAt } from './fields.js'
import type { Look } from './look.js'

/** The answer of `GET /api/session`. */
export function sessionCard(session: unknown, look: Look): string {
  const needsLogin = at(session, 'admin_required') !== false
  return card(look, `You are ${whoOf(session, look)}`, [
    ['role', lineAt(session, 'user', 'role')],
    ['id', lineAt(session, 'user', 'id')],
    ['login', needsLogin ? 'needed for reading' : 'not needed: this ledger has no users'],
  ])
}

function whoOf(session: unknown, { paint }: Look): string {
  if (at(session, 'is_bootstrap_admin') === true) return paint.cyan('the bootstrap admin')
  return at(session, 'authenticated') === true
    ? paint.cyan(lineAt(session, 'user', 'username'))
    : paint.yellow('nobody')
}
