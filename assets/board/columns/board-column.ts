import { useState } from 'preact/hooks'
import type { Card } from '#model/board/card'
import { Glyph } from '../../shared/controls/glyph.js'
import { classes, html } from '../../shared/html.js'
import { isPhone } from '../../shared/media.js'
import { count } from '../../shared/words/text.js'
import { CardTile } from '../cards/card-tile.js'
import { QuickAdd } from '../cards/quick-add.js'
import { type Column, columnTitle } from './columns.js'
import { drag } from './drag.js'

export interface BoardColumnProps {
  /** Contains only the visible cards. */
  column: Column
  /** Number of all its cards, including hidden ones. */
  total: number
  isFiltered: boolean
  terms: readonly string[]
  openId: string
  /** The card that is this column's tab stop. */
  tabStop: string | undefined
  isAdding: boolean
  onAdd: (isAdding: boolean) => void
  onOpen: (id: string) => void
  onFocus: (id: string) => void
  onMove: (card: Card) => void
  onKeyDown: (event: KeyboardEvent) => void
  onPointerDown: (event: PointerEvent, card: Card, index: number) => void
}

/** Initially rendered cards; the others follow on request. */
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
  // The drop slot's index does not count the dragged card, which leaves its own slot during the drag.
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
          ? html`<${QuickAdd} column=${name} onLeave=${() => onAdd(false)} onOpen=${onOpen} />`
          : isPhone.value &&
            isKnown &&
            html`<button type="button" class="column-add row" onClick=${() => onAdd(true)}><${Glyph} name="plus" />Add to ${title}</button>`
      }
    </div>
  </section>`
}
