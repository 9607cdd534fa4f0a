import type { LinkedCards } from '#model/board/linked'
import type { StoredEvent } from '#model/events/event'
import { Glyph } from '../../../shared/controls/glyph.js'
import { LoadProblem } from '../../../shared/controls/note.js'
import { html } from '../../../shared/html.js'
import { api, useResource } from '../../../shared/server/api.js'
import { otherProgramUrl } from '../../../shared/server/root-path.js'
import { Words } from '../../../shared/words/text-view.js'
import { cardUrl } from '../event-links.js'
import { eventKey } from '../event-words.js'

/** The board's cards that link to the event. Nothing if there are none, or if the board does not show them here. */
export function EntryCards({ event }: { event: StoredEvent }) {
  const board = otherProgramUrl
  const query = { link: eventKey(event) }
  const linked = useResource<LinkedCards>(signal => api('/api/cards', { query, signal }), [], board !== undefined)
  const cards = linked.value.value?.items ?? []
  if (board === undefined || (cards.length === 0 && linked.problem.value === undefined)) return null
  return html`<section class="panel-section" aria-label="Cards">
    <h3>Cards</h3>
    <${LoadProblem} of=${linked} what="The cards could not be loaded." />
    <ul class="entry-cards" role="list">
      ${cards.map(
        ({ id, title, column }) => html`<li key=${id} class="row anywhere">
          <${Glyph} name="card" /><a href=${cardUrl(board, id)}><${Words} text=${title} /></a>
          <span class="tag"><${Words} text=${column} limit=${40} /></span>
        </li>`,
      )}
    </ul>
  </section>`
}
