import { useState } from 'preact/hooks'
import { href } from '../../../shared/address.js'
import { Menu, type MenuItem, MenuList } from '../../../shared/controls/menu.js'
import { type Children, html } from '../../../shared/html.js'
import { isWide } from '../../../shared/media.js'
import { capital, plainText } from '../../../shared/words/text.js'
import { sourceLabel } from '../../overview.js'
import { actorName } from '../event-words.js'
import { loaded } from '../list/event-list-state.js'
import { type ListedEvent, LONGEST_NAME } from '../list/list-rows.js'
import type { Excludable } from './filter-params.js'
import { allButThis, filters, filtersQuery, onlyValue } from './filters.js'

const LONGEST_WORDS = 60

interface EventValue {
  name: Excludable
  value: string
  words: string
}

export function valueWords(name: Excludable | 'q', value: string): string {
  if (name === 'source') return sourceLabel(value)
  return name === 'outcome' ? capital(value) : value
}

/** The values of a row, except those that are too long to be kept whole. */
function valuesOf(event: ListedEvent): EventValue[] {
  const { actor, source, kind, outcome, places } = event
  const who = actor.display || actor.id
  const values: EventValue[] = [
    ...(who ? [{ name: 'actor', value: who, words: actorName(event) } as const] : []),
    ...places.map(({ key, text }) => ({ name: 'target', value: key, words: text }) as const).reverse(),
    { name: 'kind', value: kind, words: kind },
    ...(outcome ? [{ name: 'outcome', value: outcome, words: outcome } as const] : []),
    { name: 'source', value: source, words: sourceLabel(source) },
  ]
  return values.filter(({ value }) => value.length < LONGEST_NAME)
}

/** The items `Only Ada` and `All but Ada`: links that also close a panel that covers the list. */
export function valueItems({ name, value, words }: EventValue): MenuItem[] {
  const event = isWide.value ? filters.value.event : ''
  const shown = plainText(words, LONGEST_WORDS)
  return [
    { label: `Only ${shown}`, glyph: 'filter', href: href('/', filtersQuery({ ...onlyValue(name, value), event })) },
    { label: `All but ${shown}`, glyph: 'close', href: href('/', filtersQuery({ ...allButThis(name, value), event })) },
  ]
}

/** A value that one can filter for, or out. */
export function ValueMenu({ value, children }: { value: EventValue; children?: Children }) {
  return html`<${Menu} buttonClass="value" button=${children} items=${valueItems(value)} />`
}

/**
 * The context menu of a row: its values, to filter for or out. The rows of a list have no buttons, so the shortcut of
 * this menu is the menu key.
 */
export function useRowMenu(): { open: (pressed: MouseEvent) => void; menu: Children } {
  const [shown, show] = useState<{ event: ListedEvent; row: HTMLElement; beside: HTMLElement } | undefined>(undefined)
  const close = () => show(undefined)
  const open = (pressed: MouseEvent) => {
    const row = rowAt(pressed.target)
    const event = loaded.peek().items.find(item => item.key === row?.dataset.key)
    // For selected text, the browser shows its own menu.
    if (!row || !event || getSelection()?.isCollapsed === false) return
    pressed.preventDefault()
    const { target } = pressed
    show({ event, row, beside: target instanceof HTMLElement && row.contains(target) ? target : row })
  }
  const done = () => {
    shown?.row.closest<HTMLElement>('.list-box')?.focus({ preventScroll: true })
    close()
  }
  const menu =
    shown &&
    html`<${MenuList} key=${shown.event.key} id="row-menu" opener=${{ current: shown.beside }} items=${valuesOf(shown.event).flatMap(valueItems)}
      onClose=${close} onDone=${done} />`
  return { open, menu }
}

/** The row at the pointer; for the keyboard, the active row of the list. */
function rowAt(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  const active = target.getAttribute('aria-activedescendant')
  return (active === null ? target : document.getElementById(active))?.closest<HTMLElement>('[data-key]') ?? undefined
}
