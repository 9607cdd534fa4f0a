import { card, firstLines } from './card.js'
import { lineAt, linesAt, textAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'

const SHOWN_LINES = 200

/** Renders one card of the board. */
export function boardCard(value: unknown, style: TerminalStyle): string {
  const { paint } = style
  return card(style, `${lineAt(value, 'title')} ${paint.dim('in')} ${paint.cyan(lineAt(value, 'column'))}`, [
    ['id', lineAt(value, 'id')],
    ['version', lineAt(value, 'version')],
    ['assignee', lineAt(value, 'assignee')],
    ['labels', linesAt(value, 'labels').join(', ')],
    ['links', linesAt(value, 'links').join('\n')],
    ['created', lineAt(value, 'created_at')],
    ['updated', lineAt(value, 'updated_at')],
    ['body', firstLines(textAt(value, 'body'), SHOWN_LINES)],
  ])
}
