import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Choose } from '../../shared/controls/choose.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { useKeys } from '../../shared/keys/keys.js'
import { searchTerms } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { place } from '../place.js'
import { type CardFilter, isFiltered, UNASSIGNED } from './card-filter.js'
import { knownAssignees, knownLabels } from './cards.js'

const WAIT_MS = 200

/** The filter in the address. */
export function boardFilter(): CardFilter {
  const { q, label, assignee } = place.value.value
  return { terms: searchTerms(q), labels: label, assignees: assignee }
}

/** Filters cards by words, labels and assignees, stored in the address. */
export function BoardFilters({ takesFocus }: { takesFocus: boolean }) {
  const { q, label, assignee } = place.value.value
  const [typed, setTyped] = useState(q)
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef(q)
  // Changed by browser history.
  if (latest.current !== q) {
    latest.current = q
    if (typed !== q) setTyped(q)
  }
  useEffect(() => {
    if (typed === latest.current) return
    const timer = window.setTimeout(() => {
      latest.current = typed
      place.set({ q: typed }, 'replace')
    }, WAIT_MS)
    return () => window.clearTimeout(timer)
  }, [typed])
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  useKeys('Board', [{ keys: '/', does: 'find a card', run: () => field.current?.focus() }])

  const choices = (known: ReadonlyMap<string, number>) =>
    [...known].map(([value, count]) => ({ value, label: value, count }))
  const shown = (name: string, chosen: readonly string[]) =>
    chosen.length === 0
      ? name
      : `${name}: ${chosen.map(word => (word === UNASSIGNED ? 'Unassigned' : word)).join(', ')}`
  const isOn = isFiltered(boardFilter())
  return html`<search class="board-filters row wrap">
    <div class="inset-field search-field">
      <${Glyph} name="search" />
      <input ref=${field} class="field" type="search" aria-label="Find a card" placeholder="Find a card" value=${typed} maxlength="200"
        onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)}
        onKeyDown=${(event: KeyboardEvent) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          if (typed === '') field.current?.blur()
          setTyped('')
        }} />
      ${typed === '' && html`<kbd>/</kbd>`}
    </div>
    <${Choose} label="Label" button=${html`<span class="ellipsis"><${Words} text=${shown('Label', label)} limit=${200} /></span>`} isMany choices=${choices(knownLabels.value)} chosen=${label}
      onChoose=${(label: readonly string[]) => place.set({ label })} empty="No card has a label." />
    <${Choose} label="Assignee" button=${html`<span class="ellipsis"><${Words} text=${shown('Assignee', assignee)} limit=${200} /></span>`} isMany chosen=${assignee}
      choices=${[{ value: UNASSIGNED, label: 'Unassigned' }, ...choices(knownAssignees.value)]}
      onChoose=${(assignee: readonly string[]) => place.set({ assignee })} />
    ${
      isOn &&
      html`<button type="button" class="button quiet small" onClick=${() => {
        setTyped('')
        latest.current = ''
        place.set({ q: '', label: [], assignee: [] })
      }}>Clear all</button>`
    }
  </search>`
}
