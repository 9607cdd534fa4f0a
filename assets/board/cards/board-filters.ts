import { Choose } from '../../shared/controls/choose.js'
import { SearchField } from '../../shared/controls/search-field.js'
import { html } from '../../shared/html.js'
import { searchTerms } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { place } from '../board-address.js'
import { type CardFilter, isFiltered, UNASSIGNED } from './card-filter.js'
import { knownAssignees, knownLabels } from './cards.js'

export function boardFilter(): CardFilter {
  const { q, label, assignee } = place.value.value
  return { terms: searchTerms(q), labels: label, assignees: assignee }
}

export function clearBoardFilter(): void {
  place.set({ q: '', label: [], assignee: [] })
}

/** Filters cards by words, labels and assignees, stored in the address. */
export function BoardFilters({ takesFocus }: { takesFocus: boolean }) {
  const { q, label, assignee } = place.value.value
  const choices = (known: ReadonlyMap<string, number>) =>
    [...known].map(([value, count]) => ({ value, label: value, count }))
  const shown = (name: string, chosen: readonly string[]) =>
    chosen.length === 0
      ? name
      : `${name}: ${chosen.map(word => (word === UNASSIGNED ? 'Unassigned' : word)).join(', ')}`
  return html`<div class="board-filters row wrap">
    <${SearchField} class="search-field" label="Find a card" scope="Board" does="find a card" words=${q} longest=${200} takesFocus=${takesFocus}
      onSearch=${(q: string) => place.set({ q }, 'replace')} />
    <${Choose} label="Label" button=${html`<span class="ellipsis"><${Words} text=${shown('Label', label)} limit=${200} /></span>`} isMany choices=${choices(knownLabels.value)} chosen=${label}
      onChoose=${(label: readonly string[]) => place.set({ label })} empty="No card has a label." />
    <${Choose} label="Assignee" button=${html`<span class="ellipsis"><${Words} text=${shown('Assignee', assignee)} limit=${200} /></span>`} isMany chosen=${assignee}
      choices=${[{ value: UNASSIGNED, label: 'Unassigned' }, ...choices(knownAssignees.value)]}
      onChoose=${(assignee: readonly string[]) => place.set({ assignee })} />
    ${isFiltered(boardFilter()) && html`<button type="button" class="button quiet small" onClick=${clearBoardFilter}>Clear all</button>`}
  </div>`
}
