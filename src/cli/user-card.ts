import { card } from './card.js'
import { at, lineAt } from './fields.js'
import type { Look } from './look.js'
import type { Rendering } from './server-caller.js'
import { toTerminalLine } from './terminal-text.js'

/** One user. */
export function userCard(user: unknown, look: Look): string {
  const { paint } = look
  const state = at(user, 'enabled') === false ? paint.yellow('disabled') : paint.green('enabled')
  return card(look, `User ${paint.cyan(lineAt(user, 'username'))}, ${state}`, [
    ['role', lineAt(user, 'role')],
    ['id', lineAt(user, 'id')],
    ['created', lineAt(user, 'created_at')],
    ['updated', lineAt(user, 'updated_at')],
  ])
}

/** @param database where the user was created, which may be a new ledger */
export function createdUserCard(database: string): Rendering {
  return (user, look) => {
    const where = `Created in ${toTerminalLine(database)}.`
    return `${look.paint.green(where)}\n\n${userCard(user, look)}`
  }
}
