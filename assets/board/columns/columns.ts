import type { Card } from '#model/board/card'
import { capital } from '../../shared/words/text.js'

export interface Column {
  name: string
  /** Whether the board still has the column. Cards of a removed one stay in it until moved. */
  isKnown: boolean
  cards: readonly Card[]
}

/** Position of a card: index in its column, from 0, not counting the card itself. */
export interface Place {
  column: string
  position: number
}

export interface Move extends Place {
  id: string
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/**
 * The columns from left to right, their cards by ascending rank, after these moves. Removed columns come last.
 */
export function arrange(cards: readonly Card[], names: readonly string[], moves: readonly Move[] = []): Column[] {
  const lists = new Map<string, Card[]>(names.map(name => [name, []]))
  for (const card of [...cards].sort((a, b) => a.rank - b.rank)) {
    const list = lists.get(card.column)
    if (list) list.push(card)
    else lists.set(card.column, [card])
  }
  for (const { id, column, position } of moves) {
    const from = [...lists.values()].find(list => list.some(card => card.id === id))
    const to = lists.get(column)
    if (!from || !to) continue
    const at = from.findIndex(card => card.id === id)
    const [card] = from.splice(at, 1)
    if (card) to.splice(position, 0, { ...card, column })
  }
  return [...lists]
    .map(([name, cards]) => ({ name, cards, isKnown: names.includes(name) }))
    .filter(({ isKnown, cards }) => isKnown || cards.length > 0)
}

export function narrow(columns: readonly Column[], isShown: (card: Card) => boolean): Column[] {
  return columns.map(column => ({ ...column, cards: column.cards.filter(isShown) }))
}

export function findCard(columns: readonly Column[], id: string): { column: Column; index: number } | undefined {
  for (const column of columns) {
    const index = column.cards.findIndex(card => card.id === id)
    if (index !== -1) return { column, index }
  }
  return undefined
}

/**
 * The next card in a direction, skipping empty columns. From no card, or a deleted one, the first card of all.
 *
 * @returns the card's id; undefined if there is none in that direction
 */
export function walk(columns: readonly Column[], id: string | undefined, direction: Direction): string | undefined {
  const at = id === undefined ? undefined : findCard(columns, id)
  if (!at) return columns.find(({ cards }) => cards.length > 0)?.cards[0]?.id
  const { column, index } = at
  if (direction === 'up' || direction === 'down') return column.cards[index + (direction === 'up' ? -1 : 1)]?.id
  const beside = columns.indexOf(column)
  const others = direction === 'left' ? columns.slice(0, beside).reverse() : columns.slice(beside + 1)
  const next = others.find(({ cards }) => cards.length > 0)
  return next?.cards[Math.min(index, next.cards.length - 1)]?.id
}

/**
 * The position of a card moved by one step.
 *
 * @param shown the visible columns; steps count visible cards
 * @param all the complete columns
 * @returns undefined at the edge of the board
 */
export function step(
  { shown, all }: { shown: readonly Column[]; all: readonly Column[] },
  id: string,
  direction: Direction,
): Place | undefined {
  const at = findCard(shown, id)
  if (!at) return undefined
  const { column, index } = at
  if (direction === 'up' || direction === 'down') {
    const to = index + (direction === 'up' ? -1 : 1)
    if (to < 0 || to >= column.cards.length) return undefined
    // A removed column accepts no cards, not even its own.
    return column.isKnown ? placeAt({ shown, all }, id, { column: column.name, index: to }) : undefined
  }
  const beside = shown.indexOf(column)
  const others = direction === 'left' ? shown.slice(0, beside).reverse() : shown.slice(beside + 1)
  const next = others.find(({ isKnown }) => isKnown)
  return next && placeAt({ shown, all }, id, { column: next.name, index })
}

/**
 * Converts an index among visible cards to a position in the complete column: in front of the visible card there, or
 * after the last one.
 *
 * @param index not counting the card itself
 */
export function placeAt(
  { shown, all }: { shown: readonly Column[]; all: readonly Column[] },
  id: string,
  { column, index }: { column: string; index: number },
): Place {
  const others = (columns: readonly Column[]) =>
    (columns.find(({ name }) => name === column)?.cards ?? []).filter(card => card.id !== id)
  const [seen, whole] = [others(shown), others(all)]
  const at = (card: Card | undefined) => whole.findIndex(other => other.id === card?.id)
  if (index < seen.length) return { column, position: at(seen[index]) }
  return { column, position: seen.length === 0 ? whole.length : at(seen.at(-1)) + 1 }
}

/** `in-review` → `In review` */
export function columnTitle(name: string): string {
  return capital(name.replace(/[-_]+/g, ' ').trim())
}
