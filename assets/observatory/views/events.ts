import { html } from '../../shared/html.js'
import { FirstSteps } from '../first-steps.js'
import { overview } from '../overview.js'

/** What happened, newest first. */
export function EventsView() {
  const isEmpty = overview.value.value?.stats.event_count === 0
  return html`<div class="view-main">
    ${isEmpty ? html`<div class="view-scroll"><${FirstSteps} /></div>` : html`<div class="view-head"><h1>Events</h1></div>`}
  </div>`
}
