import { Choose } from '../../../shared/controls/choose.js'
import { SourceGlyph } from '../../../shared/controls/glyph.js'
import { classes, html } from '../../../shared/html.js'
import { count, plainText } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { bySource, overview, sourceKin, sourceLabel } from '../../overview.js'
import { counts } from '../histogram/histogram.js'
import { filters, setFilters } from './filters.js'

/** There may be many custom sources; the menu has the rest. */
const MOST_CHIPS = 8

/** Selectable sources: those with events, and selected ones. */
export function knownSources(): string[] {
  const all = new Set([
    ...Object.keys(overview.value.value?.stats.by_source ?? {}),
    ...Object.keys(counts.value.value?.by_source ?? {}),
    ...filters.value.source,
    ...filters.value.exclude_source,
  ])
  return [...all].sort(bySource)
}

/** Matching events of a source; undefined until known. */
export function countOf(source: string): number | undefined {
  const known = counts.value.value
  return known && (known.by_source[source]?.count ?? 0)
}

/** Whether events of a source are shown. */
export function isShown(source: string): boolean {
  const { source: chosen, exclude_source: excluded } = filters.value
  return !excluded.includes(source) && (chosen.length === 0 || chosen.includes(source))
}

/** Adds or removes one; selecting all clears the filter. */
export function toggleSource(source: string): void {
  const known = knownSources()
  const shown = known.filter(isShown)
  const next = shown.includes(source) ? shown.filter(other => other !== source) : [...shown, source]
  if (next.length > 0) setSources(next.length === known.length ? [] : next.sort(bySource))
}

function setSources(source: readonly string[]): void {
  setFilters({ source, exclude_source: [] })
}

/** The sources with their counts: the histogram's legend and the source filter. */
export function SourceChips() {
  const { source: chosen } = filters.value
  const known = knownSources()
  const chips = known.filter((source, at) => at < MOST_CHIPS || chosen.includes(source))
  const press = (source: string, event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey) toggleSource(source)
    else setSources(chosen.length === 1 && chosen[0] === source ? [] : [source])
  }
  const choices = known.map(source => ({
    ...{ value: source, label: sourceLabel(source), count: countOf(source) },
    glyph: html`<${SourceGlyph} source=${source} />`,
  }))
  return html`${chips.map(source => {
    const amount = countOf(source)
    return html`<button key=${source} type="button" class=${classes('chip source-chip', !isShown(source) && 'is-out')}
      aria-pressed=${chosen.includes(source)} title=${`${plainText(sourceKin(source))}: only these; with Ctrl or ⌘: add or remove`}
      onClick=${(event: MouseEvent) => press(source, event)}>
      <${SourceGlyph} source=${source} /><span class="ellipsis"><${Words} text=${sourceLabel(source)} limit=${200} /></span>
      ${amount !== undefined && html`<span class="count">${count(amount)}</span>`}
    </button>`
  })}
  ${
    known.length > 1 &&
    html`<${Choose} label="Sources" button=${html`<span class="visually-hidden">Sources</span>`} buttonClass="source-menu" isMany
      choices=${choices} chosen=${chosen} onChoose=${(source: readonly string[]) => setSources(source.length === known.length ? [] : source)} />`
  }`
}
