import { at, lineAt, linesAt, listAt } from './fields.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'

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

/** Cards in columns that the board no longer has come last. */
function placeOf(card: unknown, columns: readonly unknown[]): number {
  const place = columns.indexOf(at(card, 'column'))
  return place === -1 ? columns.length : place
}

function rankOf(card: unknown): number {
  const rank = at(card, 'rank')
  return typeof rank === 'number' ? rank : 0
}
