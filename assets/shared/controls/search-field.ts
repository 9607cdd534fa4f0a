import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { useKeys } from '../keys/keys.js'
import { isPhone } from '../media.js'
import { Glyph } from './glyph.js'

interface SearchFieldProps {
  label: string
  /** Shown on phones, which have less room. */
  placeholder?: string
  /** Group of the shortcut, which is `/`, in the list of shortcuts, and what it does there. */
  scope: string
  does: string
  /** The words in the address. */
  words: string
  longest: number
  class: string
  takesFocus?: boolean
  onSearch: (words: string) => void
}

const WAIT_MS = 200

/** A search as a field: applied after a short pause in typing, or with Enter; Esc clears it, then leaves it. */
export function SearchField(props: SearchFieldProps) {
  const { label, placeholder = label, scope, does, words, longest, class: more, takesFocus, onSearch } = props
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<number | undefined>(undefined)
  const [typed, setTyped] = useState(words)
  const sent = useRef(words)
  useEffect(() => {
    // Continues only if the words were changed elsewhere: by the back button, or "Clear all".
    if (words === sent.current) return
    sent.current = words
    window.clearTimeout(timer.current)
    setTyped(words)
  }, [words])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  useKeys(scope, [{ keys: '/', does, run: () => field.current?.select() }])

  const search = (words: string) => {
    window.clearTimeout(timer.current)
    if (words === sent.current) return
    sent.current = words
    onSearch(words)
  }
  const type = (words: string) => {
    setTyped(words)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => search(words), WAIT_MS)
  }
  const clear = () => {
    setTyped('')
    search('')
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'Enter') search(typed)
    else if (event.key === 'Escape' && typed !== '') clear()
    else if (event.key === 'Escape') field.current?.blur()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return html`<div class=${`inset-field ${more}`} role="search">
    <${Glyph} name="search" />
    <input ref=${field} class="field" type="search" aria-label=${label} autocomplete="off" spellcheck=${false} enterkeyhint="search"
      placeholder=${isPhone.value ? placeholder : label} maxlength=${longest} value=${typed} onKeyDown=${press}
      onInput=${(event: InputEvent) => type((event.target as HTMLInputElement).value)} />
    ${
      typed === ''
        ? !isPhone.value && html`<kbd aria-hidden="true">/</kbd>`
        : html`<button type="button" class="button quiet icon small" aria-label="Clear the search" onClick=${() => {
            clear()
            field.current?.focus()
          }}><${Glyph} name="close" /></button>`
    }
  </div>`
}
