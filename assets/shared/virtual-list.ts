import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Children, classes, html } from './html.js'
import { RowHeights } from './row-heights.js'

/** Commands for a list. */
export interface ListHandle {
  /** Scrolls to the top, where the newest rows are. */
  scrollToTop(): void
  /** Scrolls a row into view and makes it the active one. */
  activate(key: string): void
  /** Moves to the next or previous row. */
  walk(step: 1 | -1): void
  focus(): void
}

export interface VirtualListProps<Item> {
  /** Accessible name. */
  label: string
  /** In display order. A new array after every change. */
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Groups rows by day: a heading appears where this text changes between two items. */
  dayOf?: (item: Item) => string
  renderItem: (item: Item, state: { isActive: boolean; isSelected: boolean }) => Children
  renderDay?: (day: string) => Children
  /** Whether it is a line between rows, which the keyboard skips. */
  isLine?: (item: Item) => boolean
  /** Content of the sticky day heading, such as the pill. */
  sticky?: Children
  /** Before and after all rows: skeletons, the start of the ledger. */
  before?: Children
  after?: Children
  /** Key of the row open in the panel. */
  selected?: string | undefined
  /** On Enter or a click. */
  onOpen?: (item: Item) => void
  /** On keyboard moves, so that an open panel can follow. */
  onWalk?: (item: Item) => void
  /** Near that end; may be called often. */
  onNearEnd?: () => void
  onNearStart?: () => void
  /** Whether the top of the list is in view. */
  onAtTop?: (isAtTop: boolean) => void
  /** Estimated pixels of an unmeasured row. */
  rowEstimate?: number
  handle?: { current: ListHandle | null }
}

const DAY_ESTIMATE = 32
const OVERSCAN = 400
/** Distance from an end that counts as near. */
const NEAR_SCREENS = 2

type Entry<Item> = { key: string } & ({ kind: 'day'; day: string } | { kind: 'item'; item: Item; day: string })

/** The row at the top of the viewport. */
interface Anchor {
  key: string
  /** Its position at the last render. */
  top: number
}

/**
 * A list of any length that renders only rows near the viewport. Rows may have any height; visible rows stay in place
 * when rows are added or grow above them, except at the very top, where new rows push the others down.
 *
 * One tab stop. Arrows, Home, End and page keys move; the active row is named by `aria-activedescendant`, so it may be
 * unmounted without losing the focus.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, keyOf, dayOf, renderItem, renderDay, isLine, sticky, before, after, selected, handle } = props
  const { onOpen, onWalk, onNearEnd, onNearStart, onAtTop, rowEstimate = 52 } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor | undefined>(undefined)
  const [, draw] = useState(0)
  const redraw = () => draw(drawn => drawn + 1)
  const [active, setActive] = useState<string | undefined>(undefined)
  const heights = useMemo(
    () => new RowHeights(key => (key.startsWith('day:') ? DAY_ESTIMATE : rowEstimate)),
    [rowEstimate],
  )
  const entries = useMemo(() => {
    const made = toEntries(items, keyOf, dayOf)
    heights.setRows(made.map(({ key }) => key))
    return made
  }, [items, heights])

  const view = viewOf(scroller.current, body.current)
  const first = heights.indexAt(view.top - OVERSCAN)
  const last = Math.min(entries.length, heights.indexAt(view.top + view.height + OVERSCAN) + 1)
  const shown = entries.slice(first, last)
  const topEntry = entries[heights.indexAt(Math.max(0, view.top))]
  const activeIndex = active === undefined ? undefined : heights.indexOf(`item:${active}`)
  const isActiveShown = activeIndex !== undefined && activeIndex >= first && activeIndex < last

  // Before paint: scrolls by as much as the rows have moved, on top of the user's own scrolling.
  useLayoutEffect(() => {
    const { current: at } = anchor
    const index = at && heights.indexOf(at.key)
    if (!at || index === undefined || !scroller.current || !body.current) return
    const top = body.current.offsetTop + heights.topOf(index)
    if (top !== at.top) scroller.current.scrollTop += top - at.top
    at.top = top
  })

  useMeasuring(body, (key, height) => heights.measure(key, height), redraw)
  useLayoutEffect(() => {
    const { current: element } = scroller
    if (!element) return
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) heights.forget()
      width = element.clientWidth
      redraw()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [heights])

  useEffect(() => {
    const near = view.height * NEAR_SCREENS
    if (view.height === 0) return
    if (heights.total - view.top - view.height < near) onNearEnd?.()
    if (view.top < near) onNearStart?.()
  })

  const scrolled = () => {
    const now = viewOf(scroller.current, body.current)
    const isAtTop = (scroller.current?.scrollTop ?? 0) <= 1
    const index = heights.indexAt(Math.max(0, now.top))
    const entry = entries[index]
    const top = (body.current?.offsetTop ?? 0) + heights.topOf(index)
    anchor.current = isAtTop || !entry ? undefined : { key: entry.key, top }
    onAtTop?.(isAtTop)
    redraw()
  }

  const bringIntoView = (index: number) => {
    const { current: element } = scroller
    if (!element || !body.current) return
    const top = body.current.offsetTop + heights.topOf(index)
    const bottom = body.current.offsetTop + heights.topOf(index + 1)
    const covered = dayOf ? DAY_ESTIMATE : 0
    if (top - covered < element.scrollTop) element.scrollTop = top - covered
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }
  const walkTo = (from: number, step: 1 | -1) => {
    for (let index = from; index >= 0 && index < entries.length; index += step) {
      const entry = entries[index]
      if (entry?.kind !== 'item' || isLine?.(entry.item)) continue
      setActive(keyOf(entry.item))
      bringIntoView(index)
      onWalk?.(entry.item)
      return
    }
  }
  const here = () => activeIndex ?? heights.indexAt(Math.max(0, view.top)) - 1
  const press = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    const at = here()
    const page = Math.max(1, Math.floor(view.height / rowEstimate) - 1)
    const entry = activeIndex === undefined ? undefined : entries[activeIndex]
    if (event.key === 'ArrowDown') walkTo(at + 1, 1)
    else if (event.key === 'ArrowUp') walkTo(at - 1, -1)
    else if (event.key === 'PageDown') walkTo(Math.min(at + page, entries.length - 1), 1)
    else if (event.key === 'PageUp') walkTo(Math.max(at - page, 0), -1)
    else if (event.key === 'Home') walkTo(0, 1)
    else if (event.key === 'End') walkTo(entries.length - 1, -1)
    else if (event.key === 'Enter' && entry?.kind === 'item') onOpen?.(entry.item)
    else return
    event.preventDefault()
  }

  if (handle) {
    handle.current = {
      focus: () => scroller.current?.focus({ preventScroll: true }),
      walk: step => walkTo(here() + step, step),
      scrollToTop: () => {
        anchor.current = undefined
        scroller.current?.scrollTo({ top: 0 })
      },
      activate: key => {
        const index = heights.indexOf(`item:${key}`)
        if (index === undefined) return
        setActive(key)
        bringIntoView(index)
      },
    }
  }

  const renderEntry = (entry: Entry<Item>, index: number) => {
    if (entry.kind === 'day') {
      return html`<div key=${entry.key} class="day" role="presentation" data-row=${entry.key}>${renderDay?.(entry.day)}</div>`
    }
    const { item } = entry
    const key = keyOf(item)
    if (isLine?.(item)) {
      return html`<div key=${entry.key} role="presentation" data-row=${entry.key}>
        ${renderItem(item, { isActive: false, isSelected: false })}
      </div>`
    }
    const state = { isActive: key === active, isSelected: key === selected }
    return html`<div key=${entry.key} id=${rowId(id, key)} role="option" data-row=${entry.key}
      class=${classes('list-row', state.isActive && 'is-active', state.isSelected && 'is-selected')}
      aria-selected=${state.isSelected} aria-posinset=${index + 1} aria-setsize=${entries.length}
      onClick=${() => {
        // The user has selected text to copy.
        if (getSelection()?.isCollapsed === false) return
        setActive(key)
        onOpen?.(item)
      }}>${renderItem(item, state)}</div>`
  }

  return html`<div ref=${scroller} class="virtual-list" role="listbox" aria-label=${label} tabindex="0"
    aria-activedescendant=${active !== undefined && isActiveShown ? rowId(id, active) : undefined} onScroll=${scrolled} onKeyDown=${press}>
    ${
      dayOf &&
      topEntry &&
      view.top >= 0 &&
      html`<div class="day sticky-day" role="presentation">${renderDay?.(topEntry.day)}${sticky}</div>`
    }
    ${before}
    <div ref=${body} class="list-body" role="presentation" style=${{
      paddingTop: `${heights.topOf(first)}px`,
      paddingBottom: `${Math.max(0, heights.total - heights.topOf(last))}px`,
    }}>
      ${shown.map((entry, index) => renderEntry(entry, first + index))}
    </div>
    ${after}
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

function toEntries<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  dayOf: ((item: Item) => string) | undefined,
): Entry<Item>[] {
  const entries: Entry<Item>[] = []
  let day: string | undefined
  for (const item of items) {
    const itsDay = dayOf?.(item) ?? ''
    if (dayOf && itsDay !== day) entries.push({ kind: 'day', key: `day:${itsDay}`, day: itsDay })
    day = itsDay
    entries.push({ kind: 'item', key: `item:${keyOf(item)}`, item, day: itsDay })
  }
  return entries
}

/** Measures rendered rows whenever one changes size. */
function useMeasuring(
  body: { current: HTMLElement | null },
  measure: (key: string, height: number) => boolean,
  redraw: () => void,
): void {
  const observed = useRef(new Set<Element>())
  const observer = useRef<ResizeObserver | undefined>(undefined)
  const take = (rows: Iterable<Element>) => {
    let isOther = false
    for (const row of rows) {
      const key = row instanceof HTMLElement && row.isConnected ? row.dataset.row : undefined
      if (key !== undefined) isOther = measure(key, row.getBoundingClientRect().height) || isOther
    }
    return isOther
  }
  useLayoutEffect(() => {
    observer.current ??= new ResizeObserver(entries => {
      if (take(entries.map(({ target }) => target))) redraw()
    })
    const rows = new Set(body.current?.children ?? [])
    for (const row of observed.current) if (!rows.has(row)) observer.current.unobserve(row)
    for (const row of rows) if (!observed.current.has(row)) observer.current.observe(row)
    const fresh = [...rows].filter(row => !observed.current.has(row))
    observed.current = rows
    if (take(fresh)) redraw()
  })
  useEffect(() => () => observer.current?.disconnect(), [])
}
