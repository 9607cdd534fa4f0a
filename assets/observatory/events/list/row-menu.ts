import { useState } from 'preact/hooks'
import { MenuList } from '../../../shared/controls/menu.js'
import { type Children, html } from '../../../shared/html.js'
import { valueItems, valuesOf } from '../filters/value-menu.js'
import { loaded } from './event-list-state.js'
import type { ListedEvent } from './list-rows.js'

/**
 * The context menu of a row: its values, to filter for or out. A list has no buttons in its rows, and its own shortcut is
 * the menu key.
 */
export function useRowMenu(): { open: (pressed: MouseEvent) => void; menu: Children } {
  const [shown, show] = useState<{ event: ListedEvent; row: HTMLElement; beside: HTMLElement } | undefined>(undefined)
  const close = () => show(undefined)
  const open = (pressed: MouseEvent) => {
    const row = rowAt(pressed.target)
    const event = loaded.peek().items.find(item => item.key === row?.dataset.key)
    // Selected text has the browser's own menu.
    if (!row || !event || getSelection()?.isCollapsed === false) return
    pressed.preventDefault()
    const { target } = pressed
    show({ event, row, beside: target instanceof HTMLElement && row.contains(target) ? target : row })
  }
  const done = () => {
    shown?.row.closest<HTMLElement>('.virtual-list')?.focus({ preventScroll: true })
    close()
  }
  const menu =
    shown &&
    html`<${MenuList} key=${shown.event.key} id="row-menu" opener=${{ current: shown.beside }} items=${valuesOf(shown.event).flatMap(valueItems)}
      onClose=${close} onDone=${done} />`
  return { open, menu }
}

/** The row at the pointer; by the keyboard, the active row of the list. */
function rowAt(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  const active = target.getAttribute('aria-activedescendant')
  return (active === null ? target : document.getElementById(active))?.closest<HTMLElement>('[data-key]') ?? undefined
}
