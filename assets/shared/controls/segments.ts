import { useId } from 'preact/hooks'
import { html } from '../html.js'

export interface SegmentsProps<T extends string> {
  legend: string
  isLegendHidden?: boolean
  choices: readonly { value: T; label: string }[]
  /** Undefined if none applies. */
  value: T | undefined
  onChange: (value: T) => void
}

/** A few choices side by side, as a group of radio buttons. */
export function Segments<T extends string>({ legend, isLegendHidden, choices, value, onChange }: SegmentsProps<T>) {
  const name = useId()
  return html`<fieldset class="segments">
    <legend class=${isLegendHidden ? 'visually-hidden' : 'field-label'}>${legend}</legend>
    <div class="segment-row">
      ${choices.map(
        choice => html`<label class="segment">
          <input type="radio" name=${name} value=${choice.value} checked=${choice.value === value}
            onChange=${() => onChange(choice.value)} />
          <span>${choice.label}</span>
        </label>`,
      )}
    </div>
  </fieldset>`
}
