import { Choose } from '../../shared/choose.js'
import { SourceGlyph } from '../../shared/glyph.js'
import { classes, html } from '../../shared/html.js'
import { count } from '../../shared/text.js'
import { Words } from '../../shared/text-view.js'
import { overview } from '../overview.js'
import { bySource, sourceLabel } from '../sources.js'
import { filters, setFilters } from './filters.js'
import { counts } from './histogram.js'

/** Programs that record by themselves may be many; the rest is in the menu. */
const MOST_CHIPS = 8

/** Sources that can be chosen: those with events, and those that are chosen. */
export function knownSources(): string[] {
  const all = new Set([
    ...Object.keys(overview.value.value?.stats.by_source ?? {}),
    ...Object.keys(counts.value.value?.by_source ?? {}),
    ...filters.value.source,
  ])
  return [...all].sort(bySource)
}

/** How many events of a source match; undefined until that is known. */
export function countOf(source: string): number | undefined {
  const known = counts.value.value
  return known && (known.by_source[source]?.count ?? 0)
}

/** Whether events of a source are shown. */
export function isShown(source: string): boolean {
  const { source: chosen } = filters.value
  return chosen.length === 0 || chosen.includes(source)
}

/** Adds or removes one; all of them is none chosen. */
export function toggleSource(source: string): void {
  const known = knownSources()
  const shown = known.filter(isShown)
  const next = shown.includes(source) ? shown.filter(other => other !== source) : [...shown, source]
  if (next.length > 0) setFilters({ source: next.length === known.length ? [] : next.sort(bySource) })
}

/** The sources with their counts: the histogram's legend, and what is chosen of them. */
export function SourceChips() {
  const { source: chosen } = filters.value
  const known = knownSources()
  const chips = known.filter((source, at) => at < MOST_CHIPS || chosen.includes(source))
  const press = (source: string, event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey) toggleSource(source)
    else setFilters({ source: chosen.length === 1 && chosen[0] === source ? [] : [source] })
  }
  const choices = known.map(source => ({
    ...{ value: source, label: sourceLabel(source), count: countOf(source) },
    glyph: html`<${SourceGlyph} source=${source} />`,
  }))
  return html`${chips.map(source => {
    const amount = countOf(source)
    return html`<button key=${source} type="button" class=${classes('chip source-chip', !isShown(source) && 'is-out')}
      aria-pressed=${chosen.includes(source)} title="Only this source; with Ctrl or ⌘: add or remove"
      onClick=${(event: MouseEvent) => press(source, event)}>
      <${SourceGlyph} source=${source} /><span class="ellipsis"><${Words} text=${sourceLabel(source)} limit=${200} /></span>
      ${amount !== undefined && html`<span class="count">${count(amount)}</span>`}
    </button>`
  })}
  ${
    known.length > 1 &&
    html`<${Choose} label="Sources" button=${html`<span class="visually-hidden">Sources</span>`} buttonClass="source-menu" isMany
      choices=${choices} chosen=${chosen} onChoose=${(source: readonly string[]) => setFilters({ source: source.length === known.length ? [] : source })} />`
  }`
}
