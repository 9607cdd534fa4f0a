import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Card, CardList } from '#model/board/card'
import { announce } from '../../shared/announce.js'
import { showToast } from '../../shared/controls/toast.js'
import { deleteLater, deleting } from '../../shared/deletions.js'
import { ApiProblem, createResource, reasonOf, segment } from '../../shared/server/api.js'
import { boardApi, boardName } from '../board-address.js'
import { arrange, type Column, columnTitle, findCard, type Move, type Place } from '../columns/columns.js'
import type { CardText } from './card-draft.js'
import { draftKey, keepDraft } from './card-drafts.js'

interface LoadedCards {
  cards: readonly Card[]
  columns: readonly string[]
}

const PAGE = 500
/** Maximum number of pages, as for the largest board, so that a server that keeps sending pages is not read forever. */
const MOST_PAGES = 20
/** How often a response that is older than a concurrent write is requested again. */
const READ_AGAIN = 3

/** Incremented at the start and end of each write: a response from in between may be outdated. */
let writes = 0
const moves = signal<readonly Move[]>([])

const loaded = createResource<LoadedCards | undefined>(async signal => {
  for (let attempt = 1; ; attempt++) {
    const before = writes
    const found = await readAll(signal)
    if (before === writes || attempt === READ_AGAIN) return found
  }
})

/** The visible state, which includes pending moves and deletions that the server does not have yet. */
export const columns: ReadonlySignal<readonly Column[]> = computed(() => {
  const { cards, columns: names } = loaded.value.value ?? { cards: [], columns: [] }
  const shown = cards.filter(({ id }) => !deleting.value.has(draftKey(id)))
  return arrange(shown, names, moves.value)
})

export const areLoaded: ReadonlySignal<boolean> = computed(() => loaded.value.value !== undefined)
export const loadProblem: ReadonlySignal<unknown> = loaded.problem
export const areLoading: ReadonlySignal<boolean> = loaded.isLoading
export const cardCount: ReadonlySignal<number> = computed(() =>
  columns.value.reduce((sum, { cards }) => sum + cards.length, 0),
)

export const knownLabels: ReadonlySignal<ReadonlyMap<string, number>> = computed(() => tally(card => card.labels))
export const knownAssignees: ReadonlySignal<ReadonlyMap<string, number>> = computed(() =>
  tally(card => (card.assignee === null ? [] : [card.assignee])),
)

export function loadCards(): Promise<void> {
  return loaded.load()
}

export function shownCard(id: string): Card | undefined {
  const at = findCard(columns.value, id)
  return at?.column.cards[at.index]
}

/** Includes a card with a pending deletion, which can be undone. */
export function isOnBoard(id: string): boolean {
  return loaded.value.value?.cards.some(card => card.id === id) ?? false
}

/** Clears the state for another board. */
export function resetCards(): void {
  moves.value = []
  loaded.set(undefined)
}

/** Moves a card immediately and informs the server afterwards; a refusal moves the card back. */
export function moveCard(id: string, place: Place): void {
  const at = findCard(columns.value, id)
  if (!at || (at.column.name === place.column && at.index === place.position)) return
  // Replaces a move that has not been sent yet.
  moves.value = [...moves.value.filter(move => move.id !== id || move === sending), { id, ...place }]
  const column = columns.value.find(({ name }) => name === place.column)
  const count = column?.cards.length ?? 1
  announce(`Moved to ${columnTitle(place.column)}, ${Math.min(place.position + 1, count)} of ${count}`)
  void sendMoves()
}

let sending: Move | undefined

/** Sends moves one after the other, so that they arrive in order. */
async function sendMoves(): Promise<void> {
  if (sending) return
  while (moves.value[0]) {
    const move: Move = moves.value[0]
    const { id, column, position } = move
    sending = move
    try {
      const path = `/cards/${segment(id)}`
      // Sends only the position, so concurrent edits by others stay.
      await write(() => boardApi<Card>(path, { method: 'PATCH', body: { column, position } }), put)
    } catch (error) {
      const title = shownCard(id)?.title ?? 'The card'
      showToast({ words: `“${title}” was not moved. ${reasonOf(error)}` })
      announce(`Not moved. ${reasonOf(error)}`)
    } finally {
      moves.value = moves.value.filter(other => other !== move)
      sending = undefined
    }
  }
  // The ranks of its neighbours may have changed.
  void loadCards()
}

type NewCard = Partial<CardText> & { column?: string }

/** @throws ApiProblem */
export function createCard(card: NewCard): Promise<Card> {
  return write(() => boardApi<Card>('/cards', { body: card }), put)
}

/** @throws ApiProblem, `version_conflict` if the card has another version */
export function saveCard(id: string, changes: Partial<CardText>, version: number): Promise<Card> {
  const headers = { 'If-Match': `"${version}"` }
  return write(() => boardApi<Card>(`/cards/${segment(id)}`, { method: 'PATCH', body: changes, headers }), put)
}

export function reloadCard(id: string): Promise<Card> {
  return write(() => boardApi<Card>(`/cards/${segment(id)}`), put)
}

/** Hides a card immediately, and deletes it after the time to undo. */
export function deleteCard({ id, title, version }: Card): void {
  const board = boardName.peek()
  const key = draftKey(id, board)
  const remove = async () => {
    const call = { method: 'DELETE', headers: { 'If-Match': `"${version}"` }, keepalive: true } as const
    try {
      // Another board may be shown by then.
      const send = () => boardApi(`/cards/${segment(id)}`, call, board)
      await write(send, () => change(cards => cards.filter(card => card.id !== id)), board)
      keepDraft(key, undefined)
    } catch (error) {
      void loadCards()
      if (!(error instanceof ApiProblem && error.code === 'version_conflict')) throw error
      throw new ApiProblem(error.status, { code: error.code, detail: 'It has been changed since.' })
    }
  }
  announce(`Deleted ${title}`)
  deleteLater({ key, id, words: `Deleted “${title}”. Its runs stay.`, remove, failure: `“${title}” is still there.` })
}

/** @param known handles the response, if the same board is still shown */
async function write<T>(send: () => Promise<T>, known: (answer: T) => void, board = boardName.peek()): Promise<T> {
  writes += 1
  try {
    const answer = await send()
    if (board === boardName.peek()) known(answer)
    return answer
  } finally {
    writes += 1
  }
}

function put(card: Card): void {
  change(cards => [...cards.filter(({ id }) => id !== card.id), card])
}

function change(next: (cards: readonly Card[]) => Card[]): void {
  const { value } = loaded.value
  if (value) loaded.set({ ...value, cards: next(value.cards) })
}

async function readAll(signal: AbortSignal): Promise<LoadedCards> {
  const cards: Card[] = []
  let after: number | null | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const found: CardList = await boardApi('/cards', { query: { limit: PAGE, after }, signal })
    cards.push(...found.items)
    after = found.next
    if (after === null) return { cards, columns: found.columns }
  }
  throw new ApiProblem(0, { code: 'too_many_cards', detail: 'The board returned more cards than its limit.' })
}

function tally(wordsOf: (card: Card) => readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { cards } of columns.value) {
    for (const card of cards) {
      for (const word of wordsOf(card)) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return new Map([...counts].sort(([a], [b]) => a.localeCompare(b)))
}
