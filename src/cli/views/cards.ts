import type { CardHistoryEntry } from '../../model/board/card-history.js'
import { actionWords, actorWords } from '../../model/board/card-history-words.js'
import { card, firstLines } from '../terminal/card.js'
import { at, lineAt, linesAt, listAt, textAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

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

const COLUMNS = [
  { title: 'id' },
  { title: 'column' },
  { title: 'title', flexible: true },
  { title: 'labels' },
  { title: 'assignee' },
]

/** Renders the response of `GET /api/cards`, in the order of the board, first column first. */
export function boardCardsTable(cards: unknown, style: TerminalStyle): string {
  const { paint } = style
  const items = listAt(cards, 'items')
  if (items.length === 0) return paint.dim('No such cards. "daybook board cards add" adds one.')
  const columns = listAt(cards, 'columns')
  const rows = items
    .map(card => ({ card, place: placeOf(card, columns), rank: rankOf(card) }))
    .sort((one, other) => one.place - other.place || one.rank - other.rank)
    .map(({ card }) => [
      lineAt(card, 'id'),
      lineAt(card, 'column'),
      lineAt(card, 'title'),
      linesAt(card, 'labels').join(', '),
      lineAt(card, 'assignee'),
    ])
  return table(style, COLUMNS, rows)
}

/** Renders the response of `GET /api/cards/{id}/history`. */
export function cardHistoryTable(history: unknown, style: TerminalStyle): string {
  const items = listAt(history, 'items') as CardHistoryEntry[]
  if (items.length === 0) return style.paint.dim('No changes since the board began to keep a history.')
  const rows = items.map(entry => [
    timeAt(entry, 'at'),
    toTerminalLine(actorWords(entry.by)),
    toTerminalLine(actionWords(entry, name => name)),
  ])
  return table(style, [{ title: 'when (UTC)' }, { title: 'who' }, { title: 'what', flexible: true }], rows)
}

/** Sorts cards in columns that the board no longer has last. */
function placeOf(card: unknown, columns: readonly unknown[]): number {
  const place = columns.indexOf(at(card, 'column'))
  return place === -1 ? columns.length : place
}

function rankOf(card: unknown): number {
  const rank = at(card, 'rank')
  return typeof rank === 'number' ? rank : 0
}
