import { html } from '../../shared/html.js'
import { Panel } from '../../shared/panel.js'
import type { LedgerEvent } from '../../shared/wire.js'

/** PLACEHOLDER until the panel is written. */
export function EventPanel({ event, onClose }: { event: LedgerEvent; onClose: () => void }) {
  return html`<${Panel} label=${event.kind} onClose=${onClose}><pre class="wrap">${event.dedupe_key}</pre><//>`
}
