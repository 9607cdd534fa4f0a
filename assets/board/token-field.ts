import { useId, useState } from 'preact/hooks'
import { Glyph } from '../shared/glyph.js'
import { html } from '../shared/html.js'

export interface TokenFieldProps {
  /** Whose it is, as it is said behind "token". */
  of: string
  value: string
  /** Id of what is said about it. */
  hint: string
  isInvalid: boolean
  /** The dialog opens in it. */
  isFirst: boolean
  onType: (text: string) => void
}

/** Where a token is typed in; no browser and no keeper of passwords is to remember it. */
export function TokenField({ of, value, hint, isInvalid, isFirst, onType }: TokenFieldProps) {
  const [isShown, setShown] = useState(false)
  const id = useId()
  return html`<div>
    <label class="field-label" for=${id}>Executor token${of}</label>
    <div class="token-field">
      <input id=${id} class="field" type=${isShown ? 'text' : 'password'} autocomplete="off" autocapitalize="off"
        spellcheck=${false} data-1p-ignore data-lpignore="true" autofocus=${isFirst} value=${value}
        aria-describedby=${hint} aria-invalid=${isInvalid || undefined}
        onInput=${(event: Event) => onType((event.target as HTMLInputElement).value)} />
      <button type="button" class="button quiet icon" aria-label=${`Show the token${of}`} aria-pressed=${isShown}
        onClick=${() => setShown(!isShown)}><${Glyph} name="eye" /></button>
    </div>
  </div>`
}
