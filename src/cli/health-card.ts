import { card } from './card.js'
import { at, lineAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'

/** Renders the response of `GET /api/health`. */
export function healthCard(health: unknown, style: TerminalStyle): string {
  const { paint } = style
  const isOk = at(health, 'status') === 'ok'
  const status = isOk ? paint.green('ok') : paint.red(lineAt(health, 'status') || 'unknown')
  return card(style, `Ledger: ${status}`, [
    ['why', lineAt(health, 'detail')],
    ['warning', lineAt(health, 'warnings', '0', 'detail')],
    ['demo', at(health, 'demo') === true ? 'invented events in a throw-away ledger' : ''],
    ['database', lineAt(health, 'database')],
    ['engine', lineAt(health, 'engine')],
    ['version', lineAt(health, 'version')],
    ['head', lineAt(health, 'head') || (isOk ? 'empty' : '')],
  ])
}
