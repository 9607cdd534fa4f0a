import { type Children, classes, html } from '../html.js'
import { plainText } from '../words/text.js'

interface SwitchProps {
  /** Accessible name, visible unless `isBare`. */
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  isBare?: boolean
  /** The reason why a visible switch cannot be changed. */
  whyOff?: string | undefined
  /** Marks a problematic state: `reconnecting`. */
  isWarning?: boolean
  /** Muted text next to the label: `paused while you scroll`. */
  note?: Children
}

export function Switch({ label, isOn, onChange, isBare, whyOff, isWarning, note }: SwitchProps) {
  return html`<label class=${classes('switch', isWarning && 'is-warning')} title=${whyOff}>
    <input type="checkbox" role="switch" checked=${isOn} disabled=${whyOff !== undefined} aria-label=${isBare ? plainText(label) : undefined}
      onChange=${(event: Event) => onChange((event.target as HTMLInputElement).checked)} />
    ${!isBare && html`<span class="switch-label">${label}</span>`}
    ${note && html`<span class="quiet-text">${note}</span>`}
  </label>`
}
