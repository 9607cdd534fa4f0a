import { counted } from '#model/counted'
import { Panel } from '../../../shared/controls/dialog.js'
import { Glyph, SourceGlyph } from '../../../shared/controls/glyph.js'
import { useCloseByBack } from '../../../shared/controls/popover.js'
import { Switch } from '../../../shared/controls/switch.js'
import { html } from '../../../shared/html.js'
import { isPhone } from '../../../shared/media.js'
import { sourceLabel } from '../../overview.js'
import { ExportMenu, WatchMenu } from '../export-menu.js'
import { counts } from '../histogram/histogram-counts.js'
import { SplitSwitch } from './filter-bar.js'
import { countOf, FilterMenus, isShown, knownSources, toggleSource } from './filter-menus.js'
import { clearFilters, hasFilters } from './filters.js'
import { RangeForm } from './range-picker.js'
import { zoomOut } from './time-range.js'

export function FilterSheet({ onClose }: { onClose: () => void }) {
  const known = counts.value.value
  useCloseByBack(onClose)
  const actions =
    hasFilters() && html`<button type="button" class="button quiet" onClick=${clearFilters}>Clear all</button>`
  const foot = html`<button type="button" class="button primary grow" onClick=${onClose}>
    ${known ? `Show ${counted(known.count, 'event')}` : 'Show events'}
  </button>`
  return html`<${Panel} label="Filters" size="form" takesFocus onClose=${onClose} actions=${actions} foot=${foot}>
    <div class="panel-section form filter-sheet">
      ${
        isPhone.value &&
        html`<${RangeForm} onDone=${onClose} />
        <button type="button" class="button" onClick=${() => zoomOut()}><${Glyph} name="zoom-out" />Zoom out</button>`
      }
      <section aria-labelledby="sheet-sources">
        <h3 id="sheet-sources">Source</h3>
        <div class="sheet-sources">
          ${knownSources().map(
            source => html`<div class="sheet-source row" key=${source}>
              <${SourceGlyph} source=${source} /><span class="ellipsis grow">${sourceLabel(source)}</span>
              <span class="count">${countOf(source)}</span>
              <${Switch} isBare label=${sourceLabel(source)} isOn=${isShown(source)} onChange=${() => toggleSource(source)} />
            </div>`,
          )}
        </div>
      </section>
      <section aria-labelledby="sheet-more">
        <h3 id="sheet-more">More</h3>
        <div class="buttons"><${FilterMenus} hasClear=${false} /></div>
      </section>
      ${isPhone.value && html`<div class="buttons"><${SplitSwitch} /><${WatchMenu} /><${ExportMenu} /></div>`}
    </div>
  <//>`
}
