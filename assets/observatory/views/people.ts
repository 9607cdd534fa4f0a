import { html } from '../../shared/html.js'

/** Who may log in, for admins. */
export function PeopleView() {
  return html`<div class="view-main"><div class="view-head"><h1>People</h1></div></div>`
}
