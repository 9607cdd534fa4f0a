import { useEffect, useRef, useState } from 'preact/hooks'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import { isPhone } from '../../../shared/media.js'
import { LONGEST_SEARCH } from './filter-params.js'
import { filters, setFilters } from './filters.js'

const WAIT_MS = 200

/** The search terms; applied after a short pause in typing. */
export function SearchField() {
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
