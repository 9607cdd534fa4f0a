import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Card } from '#model/board/card'
import { Dialog } from '../../shared/controls/dialog.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { nextIndex } from '../../shared/controls/menu.js'
import { html } from '../../shared/html.js'
import { plainText } from '../../shared/words/text.js'
import { moveCard } from '../cards/cards.js'
import { type Column, columnTitle, findCard } from './columns.js'

interface MoveDialogProps {
  card: Card
  /** Complete columns: steps count all cards. */
  columns: readonly Column[]
  onClose: () => void
}

const TITLE_CHARACTERS = 80

/** Moves a card to a column, or up and down within its own. Letters select columns, arrows move. */
export function MoveDialog({ card, columns, onClose }: MoveDialogProps) {
  const list = useRef<HTMLDivElement>(null)
  const at = findCard(columns, card.id)
  const buttons = () => [...(list.current?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? [])]
  useLayoutEffect(() => buttons()[0]?.focus(), [])
  const here = at?.column.name
  const last = (at?.column.cards.length ?? 1) - 1
  const index = at?.index ?? 0

  const move = (column: string, position: number) => {
    onClose()
    moveCard(card.id, { column, position })
  }
  const press = (event: KeyboardEvent) => {
    const all = buttons()
    const focused = all.indexOf(document.activeElement as HTMLButtonElement)
    const isLetter = [...event.key].length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
    const byLetter = isLetter
      ? all.findIndex(({ innerText }) => innerText.toLowerCase().startsWith(event.key.toLowerCase()))
      : undefined
    const to = nextIndex(event.key, focused, all.length) ?? byLetter
    if (to === undefined || to === -1) return
    all[to]?.focus()
    event.preventDefault()
  }
  const steps = [
    { label: 'To the top', position: 0, isOff: index === 0 },
    { label: 'Up', position: index - 1, isOff: index === 0 },
    { label: 'Down', position: index + 1, isOff: index >= last },
    { label: 'To the end', position: last, isOff: index >= last },
  ]
  return html`<${Dialog} title=${`Move “${plainText(card.title, TITLE_CHARACTERS)}”`} class="move-dialog" onClose=${onClose}>
    <div ref=${list} class="move-list stack" role="group" aria-label="Columns" onKeyDown=${press}>
      ${columns
        .filter(({ isKnown }) => isKnown)
        .map(
          ({ name, cards }) => html`<button type="button" class="menu-item row" disabled=${name === here}
            onClick=${() => move(name, cards.length)}>
            <span class="grow">${columnTitle(name)}</span>
            ${name === here ? html`<span class="quiet-text">current</span>` : html`<${Glyph} name="chevron-right" />`}
          </button>`,
        )}
      ${
        last > 0 &&
        at?.column.isKnown &&
        html`<div class="buttons spaced">
          ${steps.map(
            ({ label, position, isOff }) => html`<button type="button" class="button small" disabled=${isOff}
              onClick=${() => here !== undefined && move(here, position)}>${label}</button>`,
          )}
        </div>`
      }
    </div>
  <//>`
}
