import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import { type Children, classes, html } from '../html.js'
import { Words } from '../words/text-view.js'
import { Glyph } from './glyph.js'
import { nextIndex } from './menu.js'
import { type ShownPopover, useOpener, usePopover } from './popover.js'

export interface Choice {
  value: string
  label: string
  count?: number | undefined
  /** In front of the label, such as a source's glyph. */
  glyph?: Children
  isCode?: boolean
}

interface ChooseProps {
  /** Label of the button and the list: `Kind`. */
  label: string
  /** Content of the button if not the label, such as `Kind: message.*`. */
  button?: Children
  buttonClass?: string
  choices: readonly Choice[]
  chosen: readonly string[]
  /** Whether the button shows that something is chosen. Absent: it does if anything in the list is chosen. */
  isSet?: boolean
  /** Allows several choices; the list stays open. */
  isMany?: boolean
  /** Enables the find field; its text may also be used as a new choice if this is given. */
  onWrite?: (text: string) => void
  placeholder?: string
  onChoose: (chosen: readonly string[]) => void
  /** Called when the list opens, because its choices may have to be loaded. */
  onOpen?: () => void
  /** Above the choices. */
  head?: Children
  empty?: string
  note?: string | undefined
}

/** Maximum number of listed choices; the find field narrows them. */
const SHOWN = 200
const LABEL_LIMIT = 200

/** A button with a list of choices and a find field: typing narrows, arrows move, Enter chooses, Esc closes. */
export function Choose(props: ChooseProps) {
  const { isShown, setShown, attributes, shown } = useOpener()
  const { label, button, chosen, isSet = chosen.length > 0, buttonClass, onOpen } = props
  return html`<button ...${attributes} class=${classes('chip', buttonClass, isSet && 'is-set')} aria-haspopup="dialog"
      onClick=${() => {
        if (!isShown) onOpen?.()
        setShown(!isShown)
      }}>${button ?? label}<${Glyph} name="chevron-down" class="small" /></button>
    ${isShown && html`<${ChoiceList} ...${props} ...${shown} />`}`
}

function ChoiceList(props: ChooseProps & ShownPopover) {
  const { id, opener, label, choices, chosen, isMany, onChoose, onWrite, placeholder, empty, note } = props
  const { head, onClose, onDone } = props
  const popover = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [found, setFound] = useState('')
  const [at, setAt] = useState(0)
  usePopover(popover, opener, onClose)
  // A layout effect, so that the field has the focus before the next key press.
  useLayoutEffect(() => field.current?.focus(), [])
  const word = found.trim().toLowerCase()
  const fitting = choices.filter(choice => choice.label.toLowerCase().includes(word)).slice(0, SHOWN)
  const isNew = onWrite !== undefined && word !== '' && !fitting.some(({ label }) => label.toLowerCase() === word)
  const written: Choice = { value: found.trim(), label: `Use “${found.trim()}”` }
  const shown = isNew ? [...fitting, written] : fitting
  const optionId = (index: number) => `${id}-${index}`
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [id, at])

  const choose = (choice: Choice) => {
    const { value } = choice
    if (choice === written) onWrite?.(value)
    else if (!isMany) onChoose([value])
    else onChoose(chosen.includes(value) ? chosen.filter(other => other !== value) : [...chosen, value])
    if (choice === written || !isMany) onDone()
  }
  const press = (event: KeyboardEvent) => {
    const { key, target, isComposing } = event
    // The content above the field handles its own keys.
    if (isComposing || (target === field.current ? head && key === 'Tab' && event.shiftKey : key !== 'Escape')) return
    const to = key === 'Home' || key === 'End' ? undefined : nextIndex(key, at, shown.length)
    if (key === 'Escape' || key === 'Tab') onDone()
    else if (to !== undefined) setAt(to)
    else if (key === 'Enter' && shown[at]) choose(shown[at])
    else return
    event.stopPropagation()
    if (key !== 'Tab') event.preventDefault()
  }
  return html`<div ref=${popover} id=${id} class="menu choices" popover="manual" role="dialog" aria-label=${label} onKeyDown=${press}>
    ${head}
    <input ref=${field} class="field find" type="search" role="combobox" aria-label=${`Find: ${label}`} autocomplete="off"
      placeholder=${placeholder ?? 'Find'} aria-expanded="true" aria-controls=${`${id}-list`} aria-autocomplete="list"
      aria-describedby=${note ? `${id}-note` : undefined}
      aria-activedescendant=${shown[at] ? optionId(at) : undefined} value=${found}
      onInput=${(event: InputEvent) => {
        setFound((event.target as HTMLInputElement).value)
        setAt(0)
      }} />
    ${note && html`<p id=${`${id}-note`} class="choice-note hint">${note}</p>`}
    <div id=${`${id}-list`} class="choice-list" role="listbox" aria-label=${label} aria-multiselectable=${isMany ? 'true' : undefined}>
      ${shown.map(
        (choice, index) => html`<div id=${optionId(index)} role="option" key=${choice.value}
          class=${classes('menu-item row', index === at && 'is-active')} aria-selected=${chosen.includes(choice.value)}
          onMouseDown=${(event: Event) => event.preventDefault()} onClick=${() => choose(choice)}>
          <${Glyph} name="check" class="choice-check is-accent" />${choice.glyph}
          <span class=${classes('grow anywhere', choice.isCode && 'code')}><${Words} text=${choice.label} limit=${LABEL_LIMIT} /></span>
          ${choice.count !== undefined && html`<span class="quiet-text">${count(choice.count)}</span>`}
        </div>`,
      )}
    </div>
    ${shown.length === 0 && html`<p class="menu-empty quiet-text">${empty ?? 'No match.'}</p>`}
  </div>`
}
