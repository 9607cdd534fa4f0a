import type { RefObject } from 'preact'
import { useId, useState } from 'preact/hooks'
import { html } from '../html.js'
import { Glyph } from './glyph.js'

export interface TextFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string | undefined
  /** Shown in place of the hint: the reason why the value cannot be used. */
  refusal?: string | undefined
  /** Name of a hidden text, which a button reveals: `the password`. */
  secret?: string
  /** For moving the focus to the input. */
  field?: RefObject<HTMLInputElement>
  /** Others are attributes of the input. */
  [attribute: string]: unknown
}

/**
 * A line of text with its label above, and a hint or a refusal below. Not for prose: no spelling check and no capitals.
 */
export function TextField({ label, value, onChange, hint, refusal, secret, field, ...others }: TextFieldProps) {
  const id = useId()
  const [isSeen, setSeen] = useState(false)
  const said = refusal ?? hint
  const input = html`<input ref=${field} id=${id} class="field" type=${secret && !isSeen ? 'password' : 'text'} value=${value}
    autocomplete="off" autocapitalize="none" spellcheck=${false} aria-invalid=${refusal !== undefined} aria-describedby=${said && `${id}-said`}
    onInput=${(event: Event) => onChange(textOf(event))} ...${others} />`
  return html`<div>
    <label class="field-label" for=${id}>${label}</label>
    ${
      secret
        ? html`<div class="inset-field">${input}
          <button type="button" class="button quiet icon" aria-label=${`Show ${secret}`} aria-pressed=${isSeen} onClick=${() => setSeen(!isSeen)}><${Glyph} name="eye" /></button>
        </div>`
        : input
    }
    ${said && html`<${FieldNote} id=${`${id}-said`} hint=${hint} refusal=${refusal} />`}
  </div>`
}

export function FieldNote({ id, hint, refusal }: { id: string } & Pick<TextFieldProps, 'hint' | 'refusal'>) {
  return html`<p id=${id} class=${refusal === undefined ? 'field-hint' : 'field-problem'}>${refusal ?? hint}</p>`
}

/** The text of the field that an event is about. */
export function textOf({ target }: Event): string {
  return (target as HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement).value
}
