import { useId, useState } from 'preact/hooks'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'

export interface TokenFieldProps {
  /** Suffix after "token" that names the board. */
  of: string
  value: string
  /** Id of the element that describes the field. */
  hint: string
  isInvalid: boolean
  /** Whether it gets the initial focus. */
  isFirst: boolean
  onType: (text: string) => void
}

/** Input for a token, hidden from browser history and password managers. */
export function TokenField({ of, value, hint, isInvalid, isFirst, onType }: TokenFieldProps) {
  const [isShown, setShown] = useState(false)
  const id = useId()
  return html`<div>
    <label class="field-label" for=${id}>Executor token${of}</label>
    <div class="inset-field">
      <input id=${id} class="field" type=${isShown ? 'text' : 'password'} autocomplete="off" autocapitalize="off"
        spellcheck=${false} data-1p-ignore data-lpignore="true" autofocus=${isFirst} value=${value}
        aria-describedby=${hint} aria-invalid=${isInvalid || undefined}
        onInput=${(event: Event) => onType((event.target as HTMLInputElement).value)} />
      <button type="button" class="button quiet icon" aria-label=${`Show the token${of}`} aria-pressed=${isShown}
        onClick=${() => setShown(!isShown)}><${Glyph} name="eye" /></button>
    </div>
  </div>`
}
