import { useState } from 'preact/hooks'
import type { CardHistory, CardHistoryEntry } from '#model/board/card-history'
import { actionWords, actorWords } from '#model/board/card-history-words'
import { LoadProblem } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { segment, useResource } from '../../shared/server/api.js'
import { Time } from '../../shared/words/time-view.js'
import { columnTitle } from '../columns/columns.js'
import { boardApi } from '../place.js'

/** All that the board keeps of one card. */
const LIMIT = 500

/** What was done with a card, by whom: loaded when it is opened, and again when the card changes. */
export function CardHistorySection({ id, version }: { id: string; version?: number }) {
  const [isOpen, setOpen] = useState(false)
  const path = `/cards/${segment(id)}/history?limit=${LIMIT}`
  const history = useResource<CardHistory>(signal => boardApi(path, { signal }), [version], isOpen)
  const items = history.value.value?.items
  return html`<details class="panel-section card-history" open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary class="reach">History</summary>
    <${LoadProblem} of=${history} what="The history could not be loaded." />
    ${items?.length === 0 && html`<p class="quiet-text">No changes are recorded.</p>`}
    <ol class="stack anywhere">${items?.map(entry => html`<${Entry} entry=${entry} />`)}</ol>
  </details>`
}

function Entry({ entry }: { entry: CardHistoryEntry }) {
  return html`<li><strong>${actorWords(entry.by)}</strong> ${actionWords(entry, columnTitle)} <span class="quiet-text"><${Time} at=${entry.at} as="relative" /></span></li>`
}
