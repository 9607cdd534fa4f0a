import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Children, classes, html } from './html.js'
import { isPhone } from './media.js'
import { RowHeights } from './row-heights.js'

export interface ListHandle {
  /** Scrolls to the top, where the newest rows are. */
  scrollToTop(): void
  /** Scrolls a row into view and makes it the active one. */
  activate(key: string): void
  walk(step: 1 | -1): void
  focus(): void
}

export interface Branch {
  /** From 1. */
  level: number
  /** Position from 1, and number, of the rows of this level that belong to the same row. */
  position: number
  size: number
  /** For a row that opens and closes: whether it is open, so that its own rows follow it. */
  isOpen?: boolean
}

interface VirtualListProps<Item> {
  label: string
  /** In display order. A new array after every change. */
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Height of a row in rem, its border included. */
  heightOf: (item: Item) => number
  /** Groups rows by day: a heading appears where this text changes between two items. */
  dayOf?: (item: Item) => string
  renderItem: (item: Item, state: { isActive: boolean; isSelected: boolean }) => Children
  renderDay?: (day: string) => Children
  /** Whether it is a line between rows, which the keyboard skips. */
  isLine?: (item: Item) => boolean
  /** Makes the list a tree. Enter, left and right open and close rows. */
  branchOf?: ((item: Item) => Branch | undefined) | undefined
  /** Content of the sticky day heading, such as the pill. */
  sticky?: Children
  /** Before all rows: skeletons. */
  before?: Children
  /** Below the list box, so it may contain buttons. They have no tab stop until the last row is near the view. */
  after?: Children
  selected?: string | undefined
  /** Called on Enter or a click. Opens or closes a row that can be opened. */
  onOpen?: (item: Item) => void
  /** Called on keyboard moves, so that an open panel can follow. */
  onWalk?: (item: Item) => void
  /** Called near that end, perhaps often. */
  onNearEnd?: () => void
  onNearStart?: () => void
  onAtTop?: (isAtTop: boolean) => void
  /** Whether there are rows above the first one, which then stays in place when they load. */
  hasMoreAbove?: boolean
  handle?: { current: ListHandle | null }
}

/** Height of a day heading in rem; taller on phones. */
const DAY = 2
const PHONE_DAY = 2.5
/** The key that opens a closed row, or closes an open one. */
const OPENED_BY: Readonly<Record<string, string>> = { false: 'ArrowRight', true: 'ArrowLeft' }
const OVERSCAN = 400
/** Distance from an end that counts as near. */
const NEAR_SCREENS = 2

interface Entry<Item> {
  day: string
  item?: Item
}

interface Anchor {
  key: string
  top: number
}

/**
 * A list of any length that renders only rows near the viewport. Visible rows stay in place when rows are added or
 * removed above them, except at the very top, where new rows push the others down.
 *
 * One tab stop. Arrows, Home, End and page keys move; the active row is named by `aria-activedescendant`, so it may be
 * unmounted without losing the focus.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, keyOf, heightOf, dayOf, renderItem, renderDay, isLine, branchOf, sticky, before, after } = props
  const { selected, onOpen, onWalk, onNearEnd, onNearStart, onAtTop, hasMoreAbove = false, handle } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor | undefined>(undefined)
  const [, draw] = useState(0)
  const redraw = () => draw(drawn => drawn + 1)
  const [active, setActive] = useState<string | undefined>(undefined)
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const day = rem * (isPhone.value ? PHONE_DAY : DAY)
  const { entries, heights } = useMemo(() => {
    const entries = toEntries(items, dayOf)
    const heights = new RowHeights(entries.map(({ item }) => (item === undefined ? day : heightOf(item) * rem)))
    return { entries, heights }
  }, [items, heightOf, rem, day])
  const indexOf = (key: string | undefined) => {
    const index = key === undefined ? -1 : entries.findIndex(({ item }) => item !== undefined && keyOf(item) === key)
    return index === -1 ? undefined : index
  }

  const view = viewOf(scroller.current, body.current)
  const first = heights.indexAt(view.top - OVERSCAN)
  const last = Math.min(entries.length, heights.indexAt(view.top + view.height + OVERSCAN) + 1)
  const shown = entries.slice(first, last)
  const topEntry = entries[heights.indexAt(Math.max(0, view.top))]
  const activeIndex = indexOf(active)
  const isActiveShown = activeIndex !== undefined && activeIndex >= first && activeIndex < last

  // Runs before paint: scrolls by the distance that the rows have moved, in addition to the user's own scrolling.
  useLayoutEffect(() => {
    const { current: at } = anchor
    const index = indexOf(at?.key)
    if (!at || index === undefined || !scroller.current || !body.current) return
    const top = body.current.offsetTop + heights.topOf(index)
    if (top !== at.top) scroller.current.scrollTop += top - at.top
    at.top = top
  })

  useLayoutEffect(() => {
    const { current: element } = scroller
    if (!element) return
    const observer = new ResizeObserver(redraw)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const near = view.height * NEAR_SCREENS
    if (view.height === 0) return
    if (heights.total - view.top - view.height < near) onNearEnd?.()
    if (view.top < near) onNearStart?.()
  })

  const scrolled = () => {
    const now = viewOf(scroller.current, body.current)
    const isAtTop = (scroller.current?.scrollTop ?? 0) <= 1
    // A heading has no key, so the anchor is the first row of its day.
    const index = entries.findIndex(({ item }, at) => item !== undefined && heights.topOf(at + 1) > now.top)
    const { item } = entries[index] ?? {}
    const top = (body.current?.offsetTop ?? 0) + heights.topOf(index)
    anchor.current = (isAtTop && !hasMoreAbove) || item === undefined ? undefined : { key: keyOf(item), top }
    onAtTop?.(isAtTop)
    redraw()
  }

  const bringIntoView = (index: number) => {
    const { current: element } = scroller
    if (!element || !body.current) return
    const top = body.current.offsetTop + heights.topOf(index) - (dayOf ? day : 0)
    const bottom = body.current.offsetTop + heights.topOf(index + 1)
    const above = element.scrollTop - top
    const below = bottom - element.scrollTop - element.clientHeight
    if (Math.max(above, below) > element.clientHeight / 2) element.scrollTop = (top + bottom - element.clientHeight) / 2
    else if (above > 0) element.scrollTop = top
    else if (below > 0) element.scrollTop += below
    scrolled()
  }
  const walkTo = (from: number, step: 1 | -1) => {
    for (let index = from; index >= 0 && index < entries.length; index += step) {
      const { item } = entries[index] ?? {}
      if (item === undefined || isLine?.(item)) continue
      setActive(keyOf(item))
      bringIntoView(index)
      onWalk?.(item)
      return
    }
  }
  const here = () => activeIndex ?? heights.indexAt(Math.max(0, view.top)) - 1
  const parentOf = (index: number) =>
    entries.findLastIndex(({ item }, at) => at < index && item !== undefined && branchOf?.(item)?.level === 1)
  const press = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return
    const at = here()
    const pageFrom = (top: number) => heights.indexAt(heights.topOf(at) + top)
    const { item } = entries[activeIndex ?? -1] ?? {}
    const { level = 1, isOpen = undefined } = (item !== undefined && branchOf?.(item)) || {}
    if (event.key === 'ArrowDown') walkTo(at + 1, 1)
    else if (event.key === 'ArrowUp') walkTo(at - 1, -1)
    else if (event.key === 'PageDown') walkTo(pageFrom(view.height - day), 1)
    else if (event.key === 'PageUp') walkTo(pageFrom(day - view.height), -1)
    else if (event.key === 'Home') walkTo(0, 1)
    else if (event.key === 'End') walkTo(entries.length - 1, -1)
    else if (event.key === 'ArrowLeft' && level > 1) walkTo(parentOf(at), -1)
    else if (event.key === 'ArrowRight' && isOpen === true) walkTo(at + 1, 1)
    else if (item !== undefined && [OPENED_BY[String(isOpen)], 'Enter'].includes(event.key)) onOpen?.(item)
    else return
    event.preventDefault()
  }

  if (handle) {
    handle.current = {
      focus: () => box.current?.focus({ preventScroll: true }),
      walk: step => walkTo(here() + step, step),
      scrollToTop: () => {
        anchor.current = undefined
        scroller.current?.scrollTo({ top: 0 })
      },
      activate: key => {
        const index = indexOf(key)
        if (index === undefined) return
        setActive(key)
        bringIntoView(index)
      },
    }
  }

  const renderEntry = ({ day, item }: Entry<Item>, index: number) => {
    const style = { height: `${heights.topOf(index + 1) - heights.topOf(index)}px` }
    if (item === undefined) {
      return html`<div key=${`day ${day}`} class="day row" role="presentation" style=${style}>${renderDay?.(day)}</div>`
    }
    const key = keyOf(item)
    if (isLine?.(item)) {
      return html`<div key=${key} class="list-line" role="presentation" style=${style}>
        ${renderItem(item, { isActive: false, isSelected: false })}
      </div>`
    }
    const state = { isActive: key === active, isSelected: key === selected }
    const branch = branchOf?.(item)
    return html`<div key=${`row ${key}`} id=${rowId(id, key)} role=${branchOf ? 'treeitem' : 'option'} data-key=${key} style=${style}
      class=${classes('list-row', state.isActive && 'is-active', state.isSelected && 'is-selected')}
      aria-level=${branch?.level} aria-expanded=${branch?.isOpen} aria-selected=${state.isSelected} aria-posinset=${branch?.position ?? index + 1} aria-setsize=${branch?.size ?? entries.length}
      onClick=${() => {
        // The user has selected text to copy.
        if (getSelection()?.isCollapsed === false) return
        setActive(key)
        onOpen?.(item)
      }}>${renderItem(item, state)}</div>`
  }

  return html`<div ref=${scroller} class="virtual-list" onScroll=${scrolled}>
    <div ref=${box} class="list-box" role=${branchOf ? 'tree' : 'listbox'} aria-label=${label} tabindex="0"
      aria-activedescendant=${active !== undefined && isActiveShown ? rowId(id, active) : undefined} onKeyDown=${press}>
    ${
      dayOf &&
      topEntry &&
      view.top >= 0 &&
      html`<div class="day row sticky-day" role="presentation" style=${{ height: `${day}px`, marginBottom: `${-day}px` }}>${renderDay?.(topEntry.day)}${sticky}</div>`
    }
    ${before}
    <div ref=${body} class="list-body" role="presentation" style=${{
      paddingTop: `${heights.topOf(first)}px`,
      paddingBottom: `${Math.max(0, heights.total - heights.topOf(last))}px`,
    }}>
      ${shown.map((entry, index) => renderEntry(entry, first + index))}
    </div>
    </div>
    <div inert=${last < entries.length}>${after}</div>
  </div>`
}

/** Keys may contain blanks, which ids may not. */
function rowId(list: string, key: string): string {
  return `${list}-${encodeURIComponent(key)}`
}

/** The visible part of the body, from its top; before the first layout, about a screen. */
function viewOf(scroller: HTMLElement | null, body: HTMLElement | null): { top: number; height: number } {
  if (!scroller || !body) return { top: 0, height: innerHeight }
  return { top: scroller.scrollTop - body.offsetTop, height: scroller.clientHeight }
}

function toEntries<Item>(items: readonly Item[], dayOf: ((item: Item) => string) | undefined): Entry<Item>[] {
  const entries: Entry<Item>[] = []
  for (const item of items) {
    const day = dayOf?.(item) ?? ''
    if (dayOf && day !== entries.at(-1)?.day) entries.push({ day })
    entries.push({ day, item })
  }
  return entries
}
