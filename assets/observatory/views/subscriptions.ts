import { html } from '../../shared/html.js'

/** What is watched, and how that is getting on. */
export function SubscriptionsView() {
  return html`<div class="view-main"><div class="view-head"><h1>Subscriptions</h1></div></div>`
}
