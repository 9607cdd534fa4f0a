import { useRef } from 'preact/hooks'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import { isPhone } from '../../../shared/media.js'
import { count } from '../../../shared/words/text.js'
import { ExportMenu } from '../export-menu.js'
import { counts } from '../histogram/histogram.js'
import { LiveSwitch } from '../list/live-switch.js'
import { WatchMenu } from '../watch-menu.js'
import { FilterMenus } from './filter-menus.js'
import { countFilters } from './filter-params.js'
import { filters } from './filters.js'
import { RangePicker } from './range-picker.js'
import { SearchField } from './search-field.js'
import { SourceChips } from './source-chips.js'

export interface FilterBarProps {
  /** Phones: opens the filters on a separate page. */
  onFilters: () => void
}

/** Search, range, Live and export, with the filters below. */
export function FilterBar({ onFilters }: FilterBarProps) {
  const chips = useRef<HTMLDivElement>(null)
  useKeys('Events', [
    {
      ...{ keys: 'f', does: 'filters' },
      run: () => (isPhone.value ? onFilters() : chips.current?.querySelector('button')?.focus()),
    },
  ])
  if (isPhone.value) {
    const set = countFilters(filters.value)
    return html`<div class="events-bar">
      <${SearchField} />
      <button type="button" class="button" onClick=${onFilters}>
        <${Glyph} name="filter" />Filters${set > 0 && html` <span class="tag accent">${set}</span>`}
      </button>
    </div>`
  }
  return html`<div class="events-top"><div class="events-bar">
    <${SearchField} />
    <${RangePicker} />
    <span class="events-live"><${LiveSwitch} /></span>
    <${ExportMenu} />
    <${WatchMenu} />
  </div>
  <div class="events-filters" ref=${chips} role="group" aria-label="Filters">
    <${SourceChips} />
    <span class="events-divide"></span>
    <${FilterMenus} />
    <${Total} />
  </div></div>`
}

/** Number of matching events. */
function Total() {
  const known = counts.value.value
  return html`<p class="events-total push" role="status">
    <strong>${known ? count(known.count) : '…'}</strong> ${known?.count === 1 ? 'event' : 'events'}
  </p>`
}
