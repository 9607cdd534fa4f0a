import { type ReadonlySignal, signal } from '@preact/signals'
import { registerDraft, takeDraft } from '../shared/drafts.js'
import { type CardDraft, type CardText, isSameText, NO_TEXT } from './card-draft.js'
import { boardName, NEW_CARD } from './place.js'
import type { Card } from './wire.js'

/** The name under which drafts outlast a login, and a reload. */
const KEPT = 'board:cards'
/** Drafts of the page; with more the oldest goes. */
const MOST = 50

const drafts = signal<ReadonlyMap<string, CardDraft>>(readKeptDrafts())

registerDraft(KEPT, () => [...drafts.peek()])

/** What was begun and not saved, by `draftKey`. */
export const cardDrafts: ReadonlySignal<ReadonlyMap<string, CardDraft>> = drafts

/** @param id of a card of that board; or `new` */
export function draftKey(id: string, board: string = boardName.value): string {
  return `${board}/${id}`
}

/** Drafts that say nothing new are not kept. */
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

/** A card is written from its draft, or from what is saved. */
export function newCardDraft(text: Partial<CardText> = {}): CardDraft {
  return { base: NO_TEXT, version: 0, mine: { ...NO_TEXT, ...text } }
}

/** Whether somebody has begun to change a card. */
export function hasDraft({ id }: Pick<Card, 'id'>): boolean {
  return drafts.value.has(draftKey(id))
}

/** Ids of the cards of the board that is shown which somebody has begun to change. */
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

/** It was written by this page, perhaps by an older one. */
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
