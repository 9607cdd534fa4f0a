import type { Card } from './wire.js'

export interface CardFilter {
  /** All of them stand somewhere on the card. */
  terms: readonly string[]
  /** One of them is on it; any where there is none. */
  labels: readonly string[]
  /** It is given to one of them; `NOBODY` for cards without one. */
  assignees: readonly string[]
}

/** In place of an assignee: no name is empty. */
export const NOBODY = '-'

export function isFiltered({ terms, labels, assignees }: CardFilter): boolean {
  return terms.length + labels.length + assignees.length > 0
}

/** Whatever the case of the letters. */
export function fits(card: Card, { terms, labels, assignees }: CardFilter): boolean {
  if (labels.length > 0 && !labels.some(label => card.labels.includes(label))) return false
  if (assignees.length > 0 && !assignees.includes(card.assignee ?? NOBODY)) return false
  if (terms.length === 0) return true
  const words = [card.title, card.body, card.assignee ?? '', ...card.labels, ...card.links].join('\n').toLowerCase()
  return terms.every(term => words.includes(term.toLowerCase()))
}
