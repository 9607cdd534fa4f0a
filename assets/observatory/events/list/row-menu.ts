import { useState } from 'preact/hooks'
import type { StoredEvent } from '#model/events/event'
import { MenuList } from '../../../shared/controls/menu.js'
import { type Children, html } from '../../../shared/html.js'
import { eventKey } from '../event-words.js'
import { valueItems, valuesOf } from '../filters/value-menu.js'
import { loaded } from './event-list-state.js'

/**
 * The context menu of a row: its values, to filter for or out. A list box cannot contain buttons, and its own shortcut is
 * the menu key.
 */
export function useRowMenu(): { open: (pressed: MouseEvent) => void; menu: Children } {
  const [shown, show] = useState<{ event: StoredEvent; row: HTMLElement; beside: HTMLElement } | undefined>(undefined)
  const close = () => show(undefined)
  const open = (pressed: MouseEvent) => {
    const row = rowAt(pressed.target)
    const event = loaded.peek().items.find(item => `item:${eventKey(item)}` === row?.dataset.row)
    // Selected text has the browser's own menu.
    if (!row || !event || getSelection()?.isCollapsed === false) return
    pressed.preventDefault()
    const { target } = pressed
    show({ event, row, beside: target instanceof HTMLElement && row.contains(target) ? target : row })
  }
  const done = () => {
    shown?.row.closest<HTMLElement>('[role=listbox]')?.focus({ preventScroll: true })
    close()
  }
  const menu =
    shown &&
    html`<${MenuList} key=${eventKey(shown.event)} id="row-menu" opener=${{ current: shown.beside }} items=${valuesOf(shown.event).flatMap(valueItems)}
      onClose=${close} onDone=${done} />`
  return { open, menu }
}

/** The row at the pointer; by the keyboard, the active row of the list. */
function rowAt(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  const active = target.getAttribute('aria-activedescendant')
  return (active === null ? target : document.getElementById(active))?.closest<HTMLElement>('[data-row]') ?? undefined
}
