import { type ReadonlySignal, signal } from '@preact/signals'
import type { Card } from '#model/board/card'
import { registerDraft, takeDraft } from '../../shared/drafts.js'
import { boardName, NEW_CARD } from '../board-address.js'
import { type CardDraft, type CardText, isSameText, NO_TEXT } from './card-draft.js'

/** Storage name of the drafts, which survive a login and a reload. */
const KEPT = 'board:cards'
const MOST = 50

const drafts = signal<ReadonlyMap<string, CardDraft>>(readKeptDrafts())

registerDraft(KEPT, () => (drafts.peek().size > 0 ? [...drafts.peek()] : undefined))

/** Unsaved drafts, by `draftKey`. */
export const cardDrafts: ReadonlySignal<ReadonlyMap<string, CardDraft>> = drafts

/** @param id of a card of that board; or `new` */
export function draftKey(id: string, board: string = boardName.value): string {
  return `${board}/${id}`
}

/** Drops a draft without changes. */
export function keepDraft(key: string, draft: CardDraft | undefined): void {
  const next = new Map(drafts.peek())
  next.delete(key)
  if (draft && !isSameText(draft.base, draft.mine)) next.set(key, draft)
  for (const oldest of next.keys()) {
    if (next.size <= MOST) break
    next.delete(oldest)
  }
  drafts.value = next
}

export function newCardDraft(text: Partial<CardText> = {}): CardDraft {
  return { base: NO_TEXT, version: 0, mine: { ...NO_TEXT, ...text } }
}

export function hasDraft({ id }: Pick<Card, 'id'>): boolean {
  return drafts.value.has(draftKey(id))
}

/** Ids of cards on the shown board that have drafts. */
export function draftedCards(): string[] {
  const start = draftKey('')
  const ids = [...drafts.value.keys()].filter(key => key.startsWith(start)).map(key => key.slice(start.length))
  return ids.filter(id => id !== NEW_CARD)
}

function readKeptDrafts(): ReadonlyMap<string, CardDraft> {
  const kept = takeDraft(KEPT)
  const entries = Array.isArray(kept) ? kept.filter(isEntry) : []
  return new Map(entries)
}

/** The stored value may come from an older release. */
function isEntry(entry: unknown): entry is [string, CardDraft] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
  const { base, mine, version } = Object(entry[1]) as Partial<CardDraft>
  return isText(base) && isText(mine) && typeof version === 'number'
}

function isText(value: unknown): value is CardText {
  const { title, body, labels, assignee, links } = Object(value) as Partial<CardText>
  const areWords = [labels, links].every(list => Array.isArray(list) && list.every(word => typeof word === 'string'))
  const isWho = assignee === null || typeof assignee === 'string'
  return typeof title === 'string' && typeof body === 'string' && isWho && areWords
}
