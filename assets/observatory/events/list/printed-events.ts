import { html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { dayHeading } from '../../../shared/words/time.js'
import { loaded } from './event-list-state.js'
import { EventRow } from './event-row.js'
import { eventDay } from './list-rows.js'

/** All loaded events, for paper: the list on the screen has only the rows in view. */
export function PrintedEvents() {
  const { items } = loaded.value
  return html`<section class="printed-events" aria-label="Events">
    ${items.map(
      (
        event,
        at,
      ) => html`${(at === 0 || eventDay(event) !== eventDay(items[at - 1] ?? event)) && html`<h2 class="day">${dayHeading(eventDay(event), now.value)}</h2>`}
        <${EventRow} event=${event} terms=${[]} isNew=${false} isShort=${false} isInBurst=${false} />`,
    )}
  </section>`
}
