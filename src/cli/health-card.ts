import { card } from './card.js'
import { at, lineAt } from './fields.js'
import type { Look } from './look.js'

/** The answer of `GET /api/health`. */
export function healthCard(health: unknown, look: Look): string {
  const { paint } = look
  const isOk = at(health, 'status') === 'ok'
  const status = isOk ? paint.green('ok') : paint.red(lineAt(health, 'status') || 'unknown')
  return card(look, `Ledger: ${status}`, [
    ['why', lineAt(health, 'detail')],
    ['demo', at(health, 'demo') === true ? 'invented events in a throw-away ledger' : ''],
    ['database', lineAt(health, 'database')],
    ['engine', lineAt(health, 'engine')],
    ['version', lineAt(health, 'version')],
    ['head', lineAt(health, 'head') || (isOk ? 'empty' : '')],
  ])
}
