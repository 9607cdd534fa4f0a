import { card, firstLines } from './card.js'
import { lineAt, listAt, textAt } from './fields.js'
import type { Look } from './look.js'
import { toTerminalLine } from './terminal-text.js'

const SHOWN_LINES = 200

/** One card of the board. */
export function boardCard(value: unknown, look: Look): string {
  const { paint } = look
  return card(look, `${lineAt(value, 'title')} ${paint.dim('in')} ${paint.cyan(lineAt(value, 'column'))}`, [
    ['id', lineAt(value, 'id')],
    ['version', lineAt(value, 'version')],
    ['assignee', lineAt(value, 'assignee')],
    ['labels', toTerminalLine(listAt(value, 'labels').join(', '))],
    ['links', listAt(value, 'links').map(String).map(toTerminalLine).join('\n')],
    ['created', lineAt(value, 'created_at')],
    ['updated', lineAt(value, 'updated_at')],
    ['body', firstLines(textAt(value, 'body'), SHOWN_LINES)],
  ])
}
