import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { announce } from '../shared/announce.js'
import { ApiProblem, segment } from '../shared/api.js'
import { createResource } from '../shared/resource.js'
import { showToast } from '../shared/toast.js'
import type { CardText } from './card-draft.js'
import { draftKey, keepDraft } from './card-drafts.js'
import { arrange, type Column, columnTitle, findCard, type Move, type Place } from './columns.js'
import { boardApi, boardName } from './place.js'
import type { Card, CardPage } from './wire.js'

interface LoadedCards {
  cards: readonly Card[]
  /** Names, from left to right. */
  columns: readonly string[]
}

const PAGE = 500
/** A board holds no more; one that says it does is not followed for ever. */
const MOST_PAGES = 20
/** While others write as well, what is read may be older than what we know; then it is read anew. */
const READ_AGAIN = 3

/** Counted when a write begins and when it ends: what was read meanwhile may be from before it. */
let writes = 0
const moves = signal<readonly Move[]>([])
const hidden = signal<ReadonlySet<string>>(new Set())

const loaded = createResource<LoadedCards | undefined>(async signal => {
  for (let attempt = 1; ; attempt++) {
    const before = writes
    const found = await readAll(signal)
    if (before === writes || attempt === READ_AGAIN) return found
  }
})

/** As they are seen: moved, and without those that are being deleted, before the server has said so. */
export const columns: ReadonlySignal<readonly Column[]> = computed(() => {
  const { cards, columns: names } = loaded.value.value ?? { cards: [], columns: [] }
  return arrange(
    cards.filter(({ id }) => !hidden.value.has(id)),
    names,
    moves.value,
  )
})

export const areLoaded: ReadonlySignal<boolean> = computed(() => loaded.value.value !== undefined)
export const loadProblem: ReadonlySignal<unknown> = loaded.problem
export const areLoading: ReadonlySignal<boolean> = loaded.isLoading
export const cardCount: ReadonlySignal<number> = computed(() =>
  columns.value.reduce((sum, { cards }) => sum + cards.length, 0),
)

/** Words that stand on cards now, by how often. */
export const knownLabels: ReadonlySignal<ReadonlyMap<string, number>> = computed(() => countWords(card => card.labels))
export const knownAssignees: ReadonlySignal<ReadonlyMap<string, number>> = computed(() =>
  countWords(card => (card.assignee === null ? [] : [card.assignee])),
)

export function loadCards(): Promise<void> {
  return loaded.load()
}

export function shownCard(id: string): Card | undefined {
  const at = findCard(columns.value, id)
  return at?.column.cards[at.index]
}

/** Also of a card that is being deleted, which can be undone. */
export function isOnBoard(id: string): boolean {
  return loaded.value.value?.cards.some(card => card.id === id) ?? false
}

/** Another board begins with nothing. */
export function resetCards(): void {
  moves.value = []
  hidden.value = new Set()
  loaded.set(undefined)
}

/** Puts a card somewhere, at once; the server is told behind that, and where it refuses, the card is back. */
export function moveCard(id: string, place: Place): void {
  const at = findCard(columns.value, id)
  if (!at || (at.column.name === place.column && at.index === place.position)) return
  // What has not been sent yet is superseded.
  moves.value = [...moves.value.filter(move => move.id !== id || move === sending), { id, ...place }]
  const column = columns.value.find(({ name }) => name === place.column)
  const count = column?.cards.length ?? 1
  announce(`Moved to ${columnTitle(place.column)}, ${Math.min(place.position + 1, count)} of ${count}`)
  void sendMoves()
}

let sending: Move | undefined

/** One after the other, so that they arrive in the order in which they were made. */
async function sendMoves(): Promise<void> {
  if (sending) return
  while (moves.value[0]) {
    const move: Move = moves.value[0]
    const { id, column, position } = move
    sending = move
    try {
      const path = `/cards/${segment(id)}`
      // Where it stands, and nothing else, is changed: whatever somebody wrote meanwhile stays.
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
  // Its neighbours may have got other ranks.
  void loadCards()
}

export type NewCard = Partial<CardText> & { column?: string }

/** @throws ApiProblem */
export function createCard(card: NewCard): Promise<Card> {
  return write(() => boardApi<Card>('/cards', { body: card }), put)
}

/** @throws ApiProblem, `version_conflict` when the card is not of that version any more */
export function saveCard(id: string, changes: Partial<CardText>, version: number): Promise<Card> {
  const headers = { 'If-Match': `"${version}"` }
  return write(() => boardApi<Card>(`/cards/${segment(id)}`, { method: 'PATCH', body: changes, headers }), put)
}

/** Reads one card anew. @throws ApiProblem */
export function reloadCard(id: string): Promise<Card> {
  return write(() => boardApi<Card>(`/cards/${segment(id)}`), put)
}

/** Takes a card off the board at once, and deletes it when that is not undone. */
export function deleteCard({ id, title, version }: Card): void {
  const board = boardName.peek()
  hide(id, true)
  announce(`Deleted ${title}`)
  showToast({
    words: `Deleted “${title}”. Its runs stay.`,
    undo: () => hide(id, false),
    commit: () => void reallyDelete(),
  })

  async function reallyDelete(): Promise<void> {
    const call = { method: 'DELETE', headers: { 'If-Match': `"${version}"` }, keepalive: true } as const
    try {
      // Meanwhile another board may be shown.
      await write(
        () => boardApi(`/cards/${segment(id)}`, call, board),
        () => drop(id),
        board,
      )
      keepDraft(draftKey(id, board), undefined)
    } catch (error) {
      const isOutdated = error instanceof ApiProblem && error.code === 'version_conflict'
      const why = isOutdated ? 'Somebody changed it meanwhile.' : reasonOf(error)
      showToast({ words: `“${title}” is still there. ${why}` })
      void loadCards()
    }
    if (board === boardName.peek()) hide(id, false)
  }
}

/** A sentence for people. */
export function reasonOf(error: unknown): string {
  return error instanceof ApiProblem ? error.message : 'Something went wrong in the page. Load it again.'
}

/** @param known what is known by its answer, of the board that is still shown then */
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

/** What the server just said of one card. */
function put(card: Card): void {
  change(cards => [...cards.filter(({ id }) => id !== card.id), card])
}

function drop(id: string): void {
  change(cards => cards.filter(card => card.id !== id))
}

function change(next: (cards: readonly Card[]) => Card[]): void {
  const { value } = loaded.value
  if (value) loaded.set({ ...value, cards: next(value.cards) })
}

function hide(id: string, isHidden: boolean): void {
  const next = new Set(hidden.peek())
  if (isHidden) next.add(id)
  else next.delete(id)
  hidden.value = next
}

async function readAll(signal: AbortSignal): Promise<LoadedCards> {
  const cards: Card[] = []
  let after: number | null | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const found: CardPage = await boardApi('/cards', { query: { limit: PAGE, after }, signal })
    cards.push(...found.items)
    after = found.next
    if (after === null) return { cards, columns: found.columns }
  }
  throw new ApiProblem(0, { code: 'too_many_cards', detail: 'The board sends more cards than a board may hold.' })
}

function countWords(wordsOf: (card: Card) => readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { cards } of columns.value) {
    for (const card of cards) {
      for (const word of wordsOf(card)) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return new Map([...counts].sort(([a], [b]) => a.localeCompare(b)))
}
