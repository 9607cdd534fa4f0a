import type { Card } from './wire.js'

export interface Column {
  name: string
  /** The board has it. Cards of one that it has no longer stand there until they are moved. */
  isKnown: boolean
  cards: readonly Card[]
}

/** Where a card stands: the place in its column, 0 first, counted without the card itself. */
export interface Place {
  column: string
  position: number
}

export interface Move extends Place {
  id: string
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/**
 * The columns from left to right, their cards by rising rank, after these moves. Columns that the board has no longer
 * come last.
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
    const [card] = from.splice(
      from.findIndex(card => card.id === id),
      1,
    )
    if (card) to.splice(position, 0, { ...card, column })
  }
  return [...lists]
    .map(([name, cards]) => ({ name, cards, isKnown: names.includes(name) }))
    .filter(({ isKnown, cards }) => isKnown || cards.length > 0)
}

/** Columns with only those of their cards. */
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
 * Where walking leads from a card: past columns in which there is nothing. From none, or one that is not there any
 * more, to the first card of all.
 *
 * @returns the card's id; undefined where there is nothing in that direction
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
 * Where a card lands that is moved one step.
 *
 * @param shown the columns as they are seen; steps are counted in cards that are seen
 * @param all the columns whole
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
    // A column that the board has no longer takes no cards, not even its own.
    return column.isKnown ? placeAt({ shown, all }, id, { column: column.name, index: to }) : undefined
  }
  const beside = shown.indexOf(column)
  const others = direction === 'left' ? shown.slice(0, beside).reverse() : shown.slice(beside + 1)
  const next = others.find(({ isKnown }) => isKnown)
  return next && placeAt({ shown, all }, id, { column: next.name, index })
}

/**
 * The place in the whole column for one among the cards that are seen: before the card that is seen there, or behind the
 * last one.
 *
 * @param index counted without the card itself
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
  const words = name.replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
