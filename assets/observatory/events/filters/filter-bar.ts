import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import { Glyph } from '../../../shared/controls/glyph.js'
import { SearchField } from '../../../shared/controls/search-field.js'
import { useKeptFocus } from '../../../shared/focus.js'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import { isPhone } from '../../../shared/media.js'
import { ExportMenu, WatchMenu } from '../export-menu.js'
import { counts, histogramSplit, splitHistogram } from '../histogram/histogram-counts.js'
import { LiveSwitch } from '../list/live-switch.js'
import { FilterMenus, SourceChips } from './filter-menus.js'
import { countFilters, LONGEST_SEARCH } from './filter-params.js'
import { filters, setFilters } from './filters.js'
import { RangePicker } from './range-picker.js'

/** Search, range, Live and export, with the filters below. @param props.onFilters opens these on a separate page */
export function FilterBar({ onFilters }: { onFilters: () => void }) {
  const bar = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow(bar, JSON.stringify(filters.value))
  useKeptFocus(bar, () => bar.current?.querySelector<HTMLElement>('.divider + button, .divider + span button'))
  useKeys('Events', [
    {
      ...{ keys: 'f', does: 'filters' },
      run: () => (isPhone.value ? onFilters() : bar.current?.querySelector('button')?.focus()),
    },
  ])
  const set = countFilters(filters.value)
  const more = html`<button type="button" class=${isPhone.value ? 'button' : 'chip'} onClick=${onFilters}>
    <${Glyph} name="filter" class=${isPhone.value ? '' : 'small'} />Filters${set > 0 && html` <span class="tag accent">${set}</span>`}
  </button>`
  if (isPhone.value) return html`<div class="events-bar row"><${Search} />${more}</div>`
  return html`<div class="events-top"><div class="events-bar row">
    <${Search} />
    <${RangePicker} />
    <span class="events-live row"><${LiveSwitch} /></span>
    <${ExportMenu} />
    <${WatchMenu} />
  </div>
  <div class="events-filters row" ref=${bar} role="group" aria-label="Filters">
    <div class="events-chips"><${SourceChips} /></div>
    <span class="divider"></span>
    ${isNarrow ? more : html`<${FilterMenus} />`}
    <span class="push"><${SplitSwitch} /></span>
    <${Total} />
  </div></div>`
}

/**
 * Whether the line has no room for all filters, so that a button opens them instead. If the line wrapped, the rows
 * would move when the panel opens.
 *
 * @param content changes with the width of the filters
 */
function useNarrow(bar: { current: HTMLElement | null }, content: string): boolean {
  /** Width of the line without its chips: their counts arrive after the filters have changed. */
  const needed = useRef({ content, width: 0 })
  const observer = useRef<ResizeObserver | undefined>(undefined)
  const [isNarrow, setNarrow] = useState(false)
  const measure = () => {
    const { current: line } = bar
    const chips = line?.firstElementChild
    if (!line || !chips) return
    const menu = line.querySelector('[popover]')
    // An open menu would disappear. Its end is a change of size, after which the line is measured again.
    if (menu) return observer.current?.observe(menu)
    const over = line.scrollWidth - line.clientWidth
    if (!isNarrow && over + chips.scrollWidth > chips.clientWidth)
      needed.current = { content, width: line.clientWidth + over - chips.clientWidth }
    // Not `<`: a rounded pixel would make it change for ever.
    setNarrow(needed.current.content === content && line.clientWidth <= needed.current.width + chips.scrollWidth)
  }
  useLayoutEffect(() => {
    observer.current = new ResizeObserver(measure)
    for (const element of [bar.current, bar.current?.firstElementChild]) if (element) observer.current.observe(element)
    return () => observer.current?.disconnect()
  }, [isNarrow, content, isPhone.value])
  useLayoutEffect(measure)
  return isNarrow
}

/** Selects how the bars of the histogram are split. */
export function SplitSwitch() {
  const isByOutcome = histogramSplit.value === 'outcome'
  return html`<button type="button" class="button quiet small" aria-pressed=${isByOutcome} title="Bars by outcome in place of source"
    onClick=${() => splitHistogram(isByOutcome ? 'source' : 'outcome')}>By outcome</button>`
}

function Total() {
  const known = counts.value.value
  return html`<p class="events-total dim-text" role="status">
    <strong>${known ? count(known.count) : '…'}</strong><span class="events-unit"> ${known?.count === 1 ? 'event' : 'events'}</span>
  </p>`
}

/** The start of a search adds a history entry; further letters replace it. */
function Search() {
  return html`<${SearchField} class="events-search" label="Search words, people, payloads" placeholder="Search" scope="Events" does="search"
    words=${filters.value.q} longest=${LONGEST_SEARCH} onSearch=${(q: string) => setFilters({ q }, filters.peek().q === '' ? 'push' : 'replace')} />`
}
