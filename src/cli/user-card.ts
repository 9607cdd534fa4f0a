import type { Rendering } from './api-command-context.js'
import { card } from './card.js'
import { at, lineAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

/** Renders one user. */
export function userCard(user: unknown, style: TerminalStyle): string {
  const { paint } = style
  const state = at(user, 'enabled') === false ? paint.yellow('disabled') : paint.green('enabled')
  return card(style, `User ${paint.cyan(lineAt(user, 'username'))}, ${state}`, [
    ['role', lineAt(user, 'role')],
    ['id', lineAt(user, 'id')],
    ['created', lineAt(user, 'created_at')],
    ['updated', lineAt(user, 'updated_at')],
  ])
}

/** @param database where the user was created, possibly a new ledger */
export function createdUserCard(database: string): Rendering {
  return (user, style) => {
    const where = `Created in ${toTerminalLine(database)}.`
    return `${style.paint.green(where)}\n\n${userCard(user, style)}`
  }
}
