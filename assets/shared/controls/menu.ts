import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Children, classes, html } from '../html.js'
import { plainText } from '../words/text.js'
import { Glyph, type GlyphName } from './glyph.js'
import { type ShownPopover, useOpener, usePopover } from './popover.js'

export interface MenuItem {
  label: string
  glyph?: GlyphName
  /** Muted text on the right: a shortcut, a count. */
  note?: string
  href?: string
  isDownload?: boolean
  onChoose?: () => void
  /** The reason why a visible item is disabled. */
  whyOff?: string | undefined
  isDanger?: boolean
}

interface MenuProps {
  /** Accessible name of the button, if its content is not enough. */
  label?: string
  button: Children
  buttonClass?: string
  items: readonly MenuItem[]
  /** Above the items: the logged-in user. */
  head?: Children
}

/** A button with a menu: Enter, Space and arrow down open it, arrows and first letters move, Esc closes. */
export function Menu({ label, button, buttonClass = 'button', items, head }: MenuProps) {
  const { isShown, setShown, attributes, shown } = useOpener()
  return html`<button ...${attributes} class=${buttonClass} aria-label=${label && plainText(label)} aria-haspopup="menu"
      onClick=${() => setShown(!isShown)}
      onKeyDown=${(event: KeyboardEvent) => {
        if (event.key !== 'ArrowDown' || isShown) return
        event.preventDefault()
        setShown(true)
      }}>${button}</button>
    ${isShown && html`<${MenuList} ...${shown} items=${items} head=${head} />`}`
}

interface MenuListProps extends ShownPopover {
  items: readonly MenuItem[]
  head?: Children
}

export function MenuList({ id, opener, items, head, onClose, onDone }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null)
  usePopover(list, opener, onClose)
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  useLayoutEffect(() => entries()[0]?.focus(), [])

  const walk = (event: KeyboardEvent) => {
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = nextIndex(event.key, at, all.length) ?? byLetter(event.key, at, items)
    if (event.key === 'Escape' || event.key === 'Tab') onDone()
    else if (to !== undefined) all[to]?.focus()
    else return
    event.stopPropagation()
    // Tab continues from the button.
    if (event.key !== 'Tab') event.preventDefault()
  }
  return html`<div ref=${list} id=${id} class="menu" popover="manual" onKeyDown=${walk}>
    ${head && html`<div class="menu-head">${head}</div>`}
    <div role="menu">
      ${items.map(item => html`<${MenuEntry} item=${item} onDone=${onDone} />`)}
    </div>
  </div>`
}

function MenuEntry({ item, onDone }: { item: MenuItem; onDone: () => void }) {
  const { label, glyph, note, href, isDownload, onChoose, whyOff, isDanger } = item
  const content = html`${glyph && html`<${Glyph} name=${glyph} />`}<span class="grow anywhere">${label}</span>
    ${(whyOff ?? note) && html`<span class="quiet-text">${whyOff ?? note}</span>`}`
  const shared = { role: 'menuitem', tabindex: -1, class: classes('menu-item row', isDanger && 'is-danger') }
  if (href !== undefined)
    return html`<a ...${shared} href=${href} download=${isDownload ? '' : undefined} onClick=${onDone}>${content}</a>`
  const choose = () => {
    if (whyOff !== undefined) return
    onDone()
    onChoose?.()
  }
  return html`<button ...${shared} type="button" aria-disabled=${whyOff === undefined ? undefined : 'true'}
    onClick=${choose}>${content}</button>`
}

/** The index that an arrow, Home or End key leads to, wrapping around; undefined for other keys. */
export function nextIndex(key: string, at: number, length: number): number | undefined {
  if (length === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % length
  if (key === 'ArrowUp') return (Math.max(at, 0) - 1 + length) % length
  if (key === 'Home') return 0
  return key === 'End' ? length - 1 : undefined
}

function byLetter(key: string, at: number, items: readonly MenuItem[]): number | undefined {
  if ([...key].length !== 1 || key === ' ') return undefined
  const order = items.map((_, i) => (at + 1 + i) % items.length)
  return order.find(i => items[i]?.label.toLowerCase().startsWith(key.toLowerCase()))
}
