import { useEffect, useState } from 'preact/hooks'
import type { CardHistory, CardHistoryEntry } from '#model/board/card-history'
import { actionWords, actorWords } from '#model/board/card-history-words'
import { ProblemNote } from '../../shared/controls/problem-note.js'
import { html } from '../../shared/html.js'
import { segment } from '../../shared/server/api.js'
import { createResource } from '../../shared/server/resource.js'
import { Time } from '../../shared/words/time-view.js'
import { columnTitle } from '../columns/columns.js'
import { boardApi } from '../place.js'

/** All that the board keeps of one card. */
const LIMIT = 500

/** What was done with a card, by whom: loaded when it is opened, and again when the card changes. */
export function CardHistorySection({ id, version }: { id: string; version?: number }) {
  const [isOpen, setOpen] = useState(false)
  const [history] = useState(() =>
    createResource<CardHistory>(signal => boardApi(`/cards/${segment(id)}/history?limit=${LIMIT}`, { signal })),
  )
  useEffect(() => {
    if (isOpen) void history.load()
  }, [isOpen, version])
  const items = history.value.value?.items
  const problem = history.problem.value
  return html`<details class="panel-section card-history" open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary class="reach">History</summary>
    ${problem !== undefined && html`<${ProblemNote} what="The history could not be loaded." problem=${problem} onRetry=${history.load} />`}
    ${items?.length === 0 && html`<p class="quiet-text">No changes are recorded.</p>`}
    <ol>${items?.map(entry => html`<${Entry} entry=${entry} />`)}</ol>
  </details>`
}

function Entry({ entry }: { entry: CardHistoryEntry }) {
  return html`<li><strong>${actorWords(entry.by)}</strong> ${actionWords(entry, columnTitle)} <span class="quiet-text"><${Time} at=${entry.at} as="relative" /></span></li>`
}
