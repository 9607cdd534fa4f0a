import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import { count } from '#model/counted'
import { appearance } from '../shared/appearance.js'
import { Glyph } from '../shared/controls/glyph.js'
import { ProblemNote } from '../shared/controls/note.js'
import { classes, html } from '../shared/html.js'
import { type KeyBinding, useKeys } from '../shared/keys/keys.js'
import { isCoarse, isPhone } from '../shared/media.js'
import { ApiProblem, useSlow } from '../shared/server/api.js'
import { usePhoneActions } from '../shared/shell.js'
import { NEW_CARD, place } from './board-address.js'
import { BoardSwitch } from './board-switch.js'
import { BoardFilters, boardFilter, clearBoardFilter } from './cards/board-filters.js'
import { isFiltered, matchesFilter } from './cards/card-filter.js'
import { CardPanel, LostCardPanel } from './cards/card-panel.js'
import { TileContent, tileId } from './cards/card-tile.js'
import {
  areLoaded,
  areLoading,
  cardCount,
  columns,
  loadCards,
  loadProblem,
  moveCard,
  shownCard,
} from './cards/cards.js'
import { LostDrafts } from './cards/draft-notes.js'
import { NewCardPanel } from './cards/new-card-panel.js'
import { BoardColumn, columnToAdd } from './columns/board-column.js'
import { type Column, columnTitle, type Direction, findCard, narrow, placeAt, step, walk } from './columns/columns.js'
import { beginDrag, drag, dragPoint } from './columns/drag.js'
import { MoveDialog } from './columns/move-dialog.js'
import { ExecutorBar } from './runs/execution.js'
import { executor } from './runs/runs.js'

const WALKS: Record<string, Direction> = { h: 'left', j: 'down', k: 'up', l: 'right' }
const ARROWS: Record<string, Direction> = { ArrowLeft: 'left', ArrowDown: 'down', ArrowUp: 'up', ArrowRight: 'right' }

/** Binds one action for each direction; the list of shortcuts shows the first. */
function walkKeys(shift: 'Shift' | '', does: string, act: (direction: Direction) => void): KeyBinding[] {
  const bindings = Object.entries(WALKS).map(([key, direction]) => {
    return { keys: shift ? key.toUpperCase() : key, run: () => act(direction) }
  })
  return bindings.map((binding, at) => (at === 0 ? { ...binding, does } : binding))
}

/** The columns with their cards, and the open card in the panel. */
export function BoardView() {
  const { card: openId } = place.value.value
  const filter = boardFilter()
  const all = columns.value
  const shown = isFiltered(filter) ? narrow(all, card => matchesFilter(card, filter)) : all
  const board = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<string | undefined>(undefined)
  const [adding, setAdding] = useState(columnToAdd)
  const [moving, setMoving] = useState<string | undefined>(undefined)
  const [toWrite, setToWrite] = useState('')
  const [isSearching, setSearching] = useState(false)
  const [tab, setTab] = useState(adding ?? '')
  const keepFocus = useCardFocus()
  const current = shown.find(({ name }) => name === tab) ?? shown[0]
  const at = active === undefined ? undefined : findCard(shown, active)
  const firstKnown = shown.find(({ isKnown }) => isKnown)

  const open = (id: string) => place.set({ card: id, show: 'card', run: '' })
  const close = () => {
    setToWrite('')
    place.set({ card: '', show: 'card', run: '' })
  }
  const focus = (id: string | undefined) => {
    if (id === undefined) return
    setActive(id)
    const column = findCard(shown, id)?.column.name
    if (column !== undefined) setTab(column)
    keepFocus(id)
  }
  const walkTo = (direction: Direction) => focus(walk(shown, at ? active : undefined, direction))
  const moveBy = (direction: Direction) => {
    const to = active === undefined ? undefined : step({ shown, all }, active, direction)
    if (active === undefined || !to) return
    setTab(to.column)
    keepFocus(active)
    moveCard(active, to)
  }
  const add = (column: string | undefined) => {
    setAdding(column)
    if (column !== undefined) setTab(column)
  }
  const edit = (id: string) => {
    setToWrite(id)
    open(id)
  }
  const openNew = (id: string) => {
    setAdding(undefined)
    setActive(id)
    keepFocus(id)
    open(id)
  }
  const withCard = (run: (id: string) => void) => () => active !== undefined && at && run(active)

  useKeys('Board', [
    ...walkKeys('', 'move (h j k l, or arrows)', walkTo),
    ...walkKeys('Shift', 'with Shift: move the card', moveBy),
    { keys: 'n', does: 'new card here', run: () => add((at?.column.isKnown ? at.column : firstKnown)?.name) },
    { keys: 'e', does: 'edit', run: withCard(edit) },
    { keys: 'm', does: 'move menu', run: withCard(setMoving) },
    { keys: 'r', does: 'runs of the card', run: withCard(id => place.set({ card: id, show: 'runs', run: '' })) },
  ])
  useSearchAction(isSearching, setSearching)

  const pressTile = (event: KeyboardEvent) => {
    const direction = ARROWS[event.key]
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    if (event.shiftKey) moveBy(direction)
    else walkTo(direction)
  }
  const grab = (column: Column) => (event: PointerEvent, card: Card, index: number) => {
    const { current: element } = board
    if (!element) return
    beginDrag(event, {
      ...{ card, from: { column: column.name, index }, board: element },
      onDrop: ({ column, index }) => {
        setActive(card.id)
        keepFocus(card.id)
        moveCard(card.id, placeAt({ shown, all }, card.id, { column, index }))
      },
    })
  }
  const column = (column: Column) => html`<${BoardColumn} key=${column.name} column=${column} terms=${filter.terms}
    total=${all.find(({ name }) => name === column.name)?.cards.length ?? 0} isFiltered=${isFiltered(filter)} openId=${openId}
    tabStop=${(at?.column === column ? active : undefined) ?? column.cards[0]?.id} isAdding=${adding === column.name}
    onAdd=${(isAdding: boolean) => add(isAdding ? column.name : undefined)} onOpen=${openNew} onFocus=${setActive}
    onMove=${(card: Card) => setMoving(card.id)} onKeyDown=${pressTile} onPointerDown=${grab(column)} />`
  const movingCard = moving === undefined ? undefined : shownCard(moving)
  const isPanel = openId !== ''
  const openCard = shownCard(openId)
  return html`<div class=${classes('view-main fill board', isPanel && 'has-panel')}>
      ${(!isPhone.value || isSearching) && html`<${BoardHead} isPanel=${isPanel} isSearching=${isSearching} onNew=${() => open(NEW_CARD)} />`}
      ${isPhone.value && html`<h1 class="visually-hidden">Board</h1><div class="phone-board-bar"><${BoardSwitch} /></div>`}
      <${BoardProblem} />
      <${LostDrafts} />
      ${isPhone.value && areLoaded.value && html`<${ColumnTabs} columns=${shown} current=${current?.name} onChoose=${setTab} />`}
      ${areLoaded.value ? html`<div ref=${board} class="columns">${(isPhone.value ? shown.filter(other => other === current) : shown).map(column)}</div>` : html`<${BoardSkeleton} />`}
      ${areLoaded.value && cardCount.value === 0 && adding === undefined && html`<${EmptyBoard} onNew=${() => open(NEW_CARD)} />`}
      ${areLoaded.value && isFiltered(filter) && cardCount.value > 0 && shown.every(({ cards }) => cards.length === 0) && html`<p class="board-none" role="status">No card matches. <button type="button" class="link" onClick=${clearBoardFilter}>Clear all</button></p>`}
      ${!isPanel && !isCoarse.value && appearance.value.singleKeys && html`<${KeyHints} />`}
    </div>
    <${DragFloat} />
    ${openId === NEW_CARD && areLoaded.value && html`<${NewCardPanel} columns=${all} onClose=${close} onMade=${open} />`}
    ${openCard && html`<${CardPanel} key=${openId} card=${openCard} isToWrite=${toWrite === openId} onClose=${close} onMove=${() => setMoving(openId)} />`}
    ${isPanel && openId !== NEW_CARD && !openCard && areLoaded.value && html`<${LostCardPanel} id=${openId} onClose=${close} />`}
    ${
      movingCard &&
      html`<${MoveDialog} card=${movingCard} columns=${all} onClose=${() => {
        setMoving(undefined)
        if (!isPanel) keepFocus(movingCard.id)
      }} />`
    }`
}

/**
 * Restores the focus of a moved card: in another column it becomes another element, and a move within the column may
 * lose the focus.
 *
 * @returns focuses a card once it is rendered
 */
function useCardFocus(): (id: string) => void {
  const wanted = useRef<string | undefined>(undefined)
  const [, setAsked] = useState(0)
  const focused = document.activeElement?.closest<HTMLElement>('.card-place')?.dataset.id
  useLayoutEffect(() => {
    const id = wanted.current ?? (document.activeElement === document.body ? focused : undefined)
    if (id === undefined) return
    const tile = document.getElementById(tileId(id))
    if (!tile) return
    wanted.current = undefined
    tile.focus()
    tile.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  return id => {
    wanted.current = id
    setAsked(asked => asked + 1)
  }
}

interface BoardHeadProps {
  isPanel: boolean
  isSearching: boolean
  onNew: () => void
}

function BoardHead({ isPanel, isSearching, onNew }: BoardHeadProps) {
  return html`<header class="view-head row wrap board-head">
    ${!isPhone.value && html`<h1>Board</h1>`}
    <${BoardFilters} takesFocus=${isSearching} />
    ${
      !isPhone.value &&
      html`<span class="push"></span>
        <${ExecutorBar} />
        <${BoardSwitch} />
        ${!isPanel && html`<button type="button" class="button primary" onClick=${onNew}><${Glyph} name="plus" />New card</button>`}`
    }
  </header>`
}

/** On phones the title bar has room for running cards and the search button. */
function useSearchAction(isSearching: boolean, setSearching: (isSearching: boolean) => void): void {
  const running = executor.value?.running
  const search = () =>
    html`${running && html`<span class="run-badge is-accent"><span class="status-dot is-accent"></span>1 running</span>`}
      <button type="button" class="button quiet icon" aria-label="Find a card" aria-expanded=${isSearching}
        onClick=${() => setSearching(!isSearching)}><${Glyph} name="search" /></button>`
  usePhoneActions(search, [running, isSearching])
}

interface ColumnTabsProps {
  columns: readonly Column[]
  current: string | undefined
  onChoose: (name: string) => void
}

function ColumnTabs({ columns, current, onChoose }: ColumnTabsProps) {
  return html`<nav class="column-tabs row" aria-label="Columns">
    ${columns.map(
      ({ name, cards }) => html`<button type="button" key=${name} class="tab column-tab row"
        aria-current=${name === current ? 'true' : undefined} onClick=${() => onChoose(name)}>
        ${columnTitle(name)} <span class="count">${count(cards.length)}</span></button>`,
    )}
  </nav>`
}

/** Shows failures to load. An outage is already shown above the view. */
function BoardProblem() {
  const { value: problem } = loadProblem
  if (problem === undefined || areLoading.value || (problem instanceof ApiProblem && problem.code === 'no_answer'))
    return null
  const what = areLoaded.value
    ? 'The cards could not be reloaded. They may be outdated.'
    : 'The cards could not be loaded.'
  return html`<div class="view-pad"><${ProblemNote} what=${what} problem=${problem} onRetry=${() => void loadCards()} /></div>`
}

function BoardSkeleton() {
  const isSlow = useSlow(areLoading.value)
  if (!isSlow) return html`<div class="columns" aria-busy="true"></div>`
  return html`<div class="columns" aria-busy="true" aria-label="Loading">
    ${[4, 3, 2, 3].map(
      cards => html`<div class="column fill"><div class="column-head row"><span class="skeleton skeleton-word"></span></div>
        <div class="column-cards fill">${Array.from({ length: cards }, () => html`<div class="skeleton skeleton-card"></div>`)}</div></div>`,
    )}
  </div>`
}

function EmptyBoard({ onNew }: { onNew: () => void }) {
  return html`<div class="empty-state stack">
    <h2>No cards yet.</h2>
    <p class="quiet-text">The board is ready. Create a first card here, or from an event in the observatory.</p>
    <button type="button" class="button" onClick=${onNew}><${Glyph} name="plus" />Write a card</button>
  </div>`
}

function KeyHints() {
  return html`<p class="board-keys hint" aria-hidden="true">
    <span><kbd>h</kbd> <kbd>j</kbd> <kbd>k</kbd> <kbd>l</kbd> walk</span><span><kbd>⇧</kbd> + arrows moves the card</span>
    <span><kbd>n</kbd> new</span><span><kbd>?</kbd> all keys</span>
  </p>`
}

function DragFloat() {
  if (!drag.value) return null
  const { card, width, height } = drag.value
  const { x, y } = dragPoint.value
  const style = { width: `${width}px`, height: `${height}px`, transform: `translate(${x}px, ${y}px) rotate(1.2deg)` }
  return html`<div class="card card-float" style=${style} aria-hidden="true"><${TileContent} card=${card} /></div>`
}
