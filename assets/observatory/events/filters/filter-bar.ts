import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import { isPhone } from '../../../shared/media.js'
import { count } from '../../../shared/words/text.js'
import { ExportMenu, WatchMenu } from '../export-menu.js'
import { counts } from '../histogram/histogram.js'
import { histogramSplit, splitHistogram } from '../histogram/histogram-counts.js'
import { LiveSwitch } from '../list/live-switch.js'
import { FilterMenus } from './filter-menus.js'
import { countFilters, LONGEST_SEARCH } from './filter-params.js'
import { filters, setFilters } from './filters.js'
import { RangePicker } from './range-picker.js'
import { SourceChips } from './source-chips.js'

export interface FilterBarProps {
  /** Phones: opens the filters on a separate page. */
  onFilters: () => void
}

/** Search, range, Live and export, with the filters below. */
export function FilterBar({ onFilters }: FilterBarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow(bar, JSON.stringify(filters.value))
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
  if (isPhone.value) return html`<div class="events-bar row"><${SearchField} />${more}</div>`
  return html`<div class="events-top"><div class="events-bar row">
    <${SearchField} />
    <${RangePicker} />
    <span class="events-live"><${LiveSwitch} /></span>
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
 * Whether the line has no room for all its filters, so that a button in their place opens them. A line that wraps would
 * move the rows when the panel opens.
 *
 * @param content changes with the width of the filters
 */
function useNarrow(bar: { current: HTMLElement | null }, content: string): boolean {
  /** Width of the line with all filters. */
  const needed = useRef({ content, width: 0 })
  const [isNarrow, setNarrow] = useState(false)
  const measure = () => {
    const { current: line } = bar
    const chips = line?.firstElementChild
    if (!line || !chips) return
    const over = line.scrollWidth - line.clientWidth + chips.scrollWidth - chips.clientWidth
    if (!isNarrow && over > 0) needed.current = { content, width: line.clientWidth + over }
    setNarrow(needed.current.content === content && line.clientWidth < needed.current.width)
  }
  useLayoutEffect(measure)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure)
    for (const element of [bar.current, bar.current?.firstElementChild]) if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [isNarrow, content, isPhone.value])
  return isNarrow
}

/** What the bars of the histogram consist of. */
export function SplitSwitch() {
  const isByOutcome = histogramSplit.value === 'outcome'
  return html`<button type="button" class="button quiet small" aria-pressed=${isByOutcome} title="Bars by outcome in place of source"
    onClick=${() => splitHistogram(isByOutcome ? 'source' : 'outcome')}>By outcome</button>`
}

/** Number of matching events. */
function Total() {
  const known = counts.value.value
  return html`<p class="events-total" role="status">
    <strong>${known ? count(known.count) : '…'}</strong> ${known?.count === 1 ? 'event' : 'events'}
  </p>`
}

const WAIT_MS = 200

/** The search terms; applied after a short pause in typing. */
function SearchField() {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<number | undefined>(undefined)
  const { q } = filters.value
  const [typed, setTyped] = useState(q)
  const sent = useRef(q)
  useEffect(() => {
    // Changed elsewhere: by the back button, or "Clear all".
    if (q === sent.current) return
    sent.current = q
    window.clearTimeout(timer.current)
    setTyped(q)
  }, [q])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  useKeys('Events', [{ keys: '/', does: 'search', run: () => field.current?.select() }])

  const search = (words: string) => {
    window.clearTimeout(timer.current)
    if (words === filters.peek().q) return
    sent.current = words
    // The start of a search adds a history entry; further letters replace it.
    setFilters({ q: words }, filters.peek().q === '' ? 'push' : 'replace')
  }
  const type = (words: string) => {
    setTyped(words)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => search(words), WAIT_MS)
  }
  return html`<div class="inset-field events-search" role="search">
    <${Glyph} name="search" />
    <input ref=${field} class="field" type="search" aria-label="Search words, people, payloads" autocomplete="off" spellcheck=${false}
      placeholder=${isPhone.value ? 'Search' : 'Search words, people, payloads'} maxlength=${LONGEST_SEARCH} enterkeyhint="search" value=${typed}
      onInput=${(event: InputEvent) => type((event.target as HTMLInputElement).value)}
      onKeyDown=${(event: KeyboardEvent) => {
        if (event.isComposing) return
        if (event.key === 'Enter') search(typed)
        else if (event.key === 'Escape' && typed !== '') {
          setTyped('')
          search('')
        } else if (event.key === 'Escape') field.current?.blur()
        else return
        event.preventDefault()
      }} />
    ${
      typed === ''
        ? !isPhone.value && html`<kbd aria-hidden="true">/</kbd>`
        : html`<button type="button" class="button quiet icon small" aria-label="Clear the search" onClick=${() => {
            setTyped('')
            search('')
            field.current?.focus()
          }}><${Glyph} name="close" /></button>`
    }
  </div>`
}
