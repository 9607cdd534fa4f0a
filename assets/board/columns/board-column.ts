import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import { count } from '#model/counted'
import { announce } from '../../shared/announce.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { showToast } from '../../shared/controls/toast.js'
import { registerDraft, takeDraft } from '../../shared/drafts.js'
import { focusAfter } from '../../shared/focus.js'
import { classes, html } from '../../shared/html.js'
import { isCoarse, isPhone } from '../../shared/media.js'
import { reasonOf } from '../../shared/server/api.js'
import { CardTile } from '../cards/card-tile.js'
import { createCard } from '../cards/cards.js'
import { type Column, columnTitle } from './columns.js'
import { drag } from './drag.js'

interface BoardColumnProps {
  column: Column
  /** Number of all its cards, including hidden ones. */
  total: number
  isFiltered: boolean
  terms: readonly string[]
  openId: string
  /** The card that is this column's tab stop. */
  tabStop: string | undefined
  isAdding: boolean
  /** Opens or closes the quick add. */
  onAdd: (isAdding: boolean) => void
  onOpen: (id: string) => void
  onFocus: (id: string) => void
  onMove: (card: Card) => void
  onKeyDown: (event: KeyboardEvent) => void
  onPointerDown: (event: PointerEvent, card: Card, index: number) => void
}

const DRAWN = 150

export function BoardColumn(props: BoardColumnProps) {
  const { column, total, isFiltered, terms, openId, tabStop, isAdding, onAdd, onOpen, onFocus, onMove } = props
  const { onKeyDown, onPointerDown } = props
  const [drawn, setDrawn] = useState(DRAWN)
  const { name, cards, isKnown } = column
  const title = columnTitle(name)
  const dragged = drag.value
  const slot = dragged?.target.column === name ? dragged.target.index : undefined
  const atTabStop = cards.findIndex(({ id }) => id === tabStop)
  // The card reached by keyboard is always rendered.
  const most = Math.max(drawn, atTabStop + 2)
  // The index of the drop slot does not count the dragged card, which leaves its own slot during the drag.
  const others = cards.slice(0, most).filter(({ id }) => id !== dragged?.card.id)
  const tile = (card: Card) => html`<${CardTile} key=${card.id} card=${card} isOpen=${card.id === openId} terms=${terms}
    isTabStop=${card.id === tabStop} onFocus=${() => onFocus(card.id)} onKeyDown=${onKeyDown} onMove=${() => onMove(card)}
    onPointerDown=${(event: PointerEvent) => onPointerDown(event, card, cards.indexOf(card))} />`
  const slotView = () => html`<li key="slot" class="card-slot" style=${{ height: `${dragged?.height ?? 0}px` }}></li>`
  const items = others.map(tile)
  if (slot !== undefined) items.splice(slot, 0, slotView())
  return html`<section class=${classes('column fill', !isKnown && 'is-unknown')} aria-label=${title} data-column=${isKnown ? name : undefined}>
    ${
      !isPhone.value &&
      html`<header class="column-head row">
        <h2 class="ellipsis">${title}</h2>
        <span class="column-count quiet-text">${isFiltered ? `${count(cards.length)} of ${count(total)}` : count(total)}</span>
        ${!isKnown && html`<span class="tag warn" title="This column no longer exists. Move its cards to another.">Deleted</span>`}
        ${
          isKnown &&
          html`<button type="button" class="button quiet icon small push" aria-label=${`Add a card to ${title}`} title="Add a card (n)"
            onClick=${() => onAdd(true)}><${Glyph} name="plus" /></button>`
        }
      </header>`
    }
    <div class="column-cards fill">
      ${!isKnown && html`<p class="hint column-gone">This column no longer exists. Move these cards to another.</p>`}
      ${items.length > 0 && html`<ul class="stack" role="list" aria-label=${`${title}, cards`}>${items}</ul>`}
      ${
        cards.length > most &&
        html`<button type="button" class="button quiet" onClick=${() => setDrawn(drawn + DRAWN)}>
          Show ${count(Math.min(DRAWN, cards.length - most))} more of ${count(cards.length - most)}
        </button>`
      }
      ${
        isAdding
          ? html`<${QuickAdd} column=${name} onAdd=${onAdd} onOpen=${onOpen} />`
          : isPhone.value &&
            isKnown &&
            html`<button type="button" class="button column-add" onClick=${() => onAdd(true)}><${Glyph} name="plus" />Add to ${title}</button>`
      }
    </div>
  </section>`
}

const KEPT = 'board:quick-add'
/** What is typed in the quick add of each column. A login or a reload keeps it, with the titles that are being sent. */
const typed = signal<Readonly<Record<string, string>>>(Object(takeDraft(KEPT)))
const sending = new Set<{ column: string; title: string }>()
registerDraft(KEPT, () => {
  const all = [...sending].reduce((all, { column, title }) => withTitle(all, column, title), typed.peek())
  return Object.values(all).some(title => title !== '') ? all : undefined
})

function withTitle(all: Readonly<Record<string, string>>, column: string, title: string) {
  return { ...all, [column]: [title, all[column]].filter(Boolean).join(' ') }
}

/** A column in whose quick add something is typed. */
export function columnToAdd(): string | undefined {
  return Object.keys(typed.peek()).find(column => typed.peek()[column] !== '')
}

interface QuickAddProps {
  column: string
  onAdd: (isAdding: boolean) => void
  onOpen: (id: string) => void
}

/** A field at the end of a column: Enter adds and stays, Shift+Enter adds and opens, Esc leaves. */
function QuickAdd({ column, onAdd, onOpen }: QuickAddProps) {
  const title = String(typed.value[column] ?? '')
  const setTitle = (title: string) => {
    typed.value = { ...typed.peek(), [column]: title }
  }
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const [before] = useState(document.activeElement)
  // A layout effect, so that the field has the focus before the next key press.
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.scrollIntoView({ block: 'nearest' })
  }, [])

  const add = async (isToOpen: boolean) => {
    const words = title.replace(/\s+/g, ' ').trim()
    if (words === '') return
    const sent = { column, title: words }
    sending.add(sent)
    setTitle('')
    setProblem('')
    try {
      const { id } = await createCard({ title: words, column })
      announce(`Added ${words}`)
      if (isToOpen) onOpen(id)
      else field.current?.scrollIntoView({ block: 'nearest' })
    } catch (error) {
      // Keeps newer input; otherwise restores the text that could not be added.
      if (!typed.peek()[column]) setTitle(words)
      const show = field.current ? setProblem : (words: string) => showToast({ words })
      show(`“${words}” was not added. ${reasonOf(error)}`)
    }
    sending.delete(sent)
  }
  const leave = () => {
    onAdd(false)
    setTitle('')
    const undo = () => {
      typed.value = withTitle(typed.peek(), column, title)
      onAdd(true)
    }
    if (title.trim() !== '') showToast({ words: 'Closed without saving.', undo })
    focusAfter(() =>
      before instanceof HTMLElement && before !== document.body && before.isConnected ? before : undefined,
    )
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'Escape') leave()
    else if (event.key === 'Enter') void add(event.shiftKey)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return html`<div class="quick-add">
    <textarea ref=${field} class="quick-add-field touch" rows="1" maxlength="200" value=${title} enterkeyhint="done"
      aria-label=${`Title of a new card in ${columnTitle(column)}`} aria-invalid=${problem !== '' || undefined}
      onInput=${(event: Event) => setTitle((event.target as HTMLTextAreaElement).value)}
      onKeyDown=${press} onBlur=${() => title === '' && problem === '' && !isCoarse.value && onAdd(false)}></textarea>
    ${problem && html`<p class="field-problem" role="alert">${problem}</p>`}
    ${
      isCoarse.value
        ? html`<div class="quick-add-foot row wrap">
            <button type="button" class="button small primary" onClick=${() => void add(false)}>Add</button>
            <button type="button" class="button small" onClick=${() => void add(true)}>Add and open</button>
            <button type="button" class="button small quiet" onClick=${leave}>Close</button>
          </div>`
        : html`<p class="quick-add-foot row wrap hint">
            <span><kbd>↵</kbd> add</span><span><kbd>⇧↵</kbd> add and open</span><kbd class="push" title="leave">Esc</kbd>
          </p>`
    }
  </div>`
}
