import { card, firstLines } from './card.js'
import { lineAt, linesAt, textAt } from './fields.js'
import type { Look } from './look.js'

const SHOWN_LINES = 200

/** One card of the board. */
export function boardCard(value: unknown, look: Look): string {
  const { paint } = look
  return card(look, `${lineAt(value, 'title')} ${paint.dim('in')} ${paint.cyan(lineAt(value, 'column'))}`, [
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
