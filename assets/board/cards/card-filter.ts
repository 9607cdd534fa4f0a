import type { Card } from '#model/board/card'

export interface CardFilter {
  /** All must occur on the card. */
  terms: readonly string[]
  /** The card must have one of them; empty: any. */
  labels: readonly string[]
  /** The card must be assigned to one of them; `UNASSIGNED` for unassigned cards. */
  assignees: readonly string[]
}

/** Stands for "unassigned": no name is empty. */
export const UNASSIGNED = '-'

export function isFiltered({ terms, labels, assignees }: CardFilter): boolean {
  return terms.length + labels.length + assignees.length > 0
}

/** Ignores case. */
export function matchesFilter(card: Card, { terms, labels, assignees }: CardFilter): boolean {
  if (labels.length > 0 && !labels.some(label => card.labels.includes(label))) return false
  if (assignees.length > 0 && !assignees.includes(card.assignee ?? UNASSIGNED)) return false
  if (terms.length === 0) return true
  const words = [card.title, card.body, card.assignee ?? '', ...card.labels, ...card.links].join('\n').toLowerCase()
  return terms.every(term => words.includes(term.toLowerCase()))
}
