import { useEffect, useRef } from 'preact/hooks'
import type { StoredEvent } from '#model/events/event'
import { Panel, PanelKeys } from '../../../shared/controls/dialog.js'
import { Glyph, SourceGlyph } from '../../../shared/controls/glyph.js'
import { Note, ProblemNote } from '../../../shared/controls/note.js'
import { html } from '../../../shared/html.js'
import type { KeyBinding } from '../../../shared/keys/keys.js'
import { isPhone, isWide } from '../../../shared/media.js'
import { ApiProblem, useSlow } from '../../../shared/server/api.js'
import { capital, searchTerms } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { exactTime } from '../../../shared/words/time.js'
import { sourceLabel } from '../../overview.js'
import { eventKey, isProgram, roleOf } from '../event-words.js'
import { copyLink, filters } from '../filters/filters.js'
import { ValueMenu } from '../filters/value-menu.js'
import { loaded, retrySelected, selectedKey, selectedProblem } from '../list/event-list-state.js'
import { walk } from '../list/shown-rows.js'
import { Sentence } from '../sentence-view.js'
import { EntryAbout, EntryArrival, EntryCard, EntryErased } from './entry-card.js'
import { EntryConversation, EntryStory } from './entry-conversation.js'
import { EntryActions, EntryAround, EntryCards } from './entry-links.js'
import { EntryJson } from './json-tree.js'

/** One event in the panel. @param props.event absent while it loads */
export function EventPanel({ event, onClose }: { event?: StoredEvent | undefined; onClose: () => void }) {
  const isSlow = useSlow(!event)
  // While the next event loads, the last one stays.
  const last = useRef<StoredEvent | undefined>(undefined)
  last.current = event ?? (isSlow || selectedProblem.value !== undefined ? undefined : last.current)
  const shown = last.current
  const step = (label: string, name: 'arrow-up' | 'arrow-down', by: 1 | -1, hint: string) =>
    html`<button type="button" class="button quiet icon" aria-label=${label} title=${`${label} (${hint})`} onClick=${() => walk(by)}>
      <${Glyph} name=${name} />
    </button>`
  const label = shown ? nounOf(shown) : 'Event'
  return html`<${Panel} label=${label} onClose=${onClose} size="event"
      head=${shown && html`<${Head} event=${shown} label=${label} />`}
      actions=${html`${step('Newer event', 'arrow-up', -1, 'k')}${step('Older event', 'arrow-down', 1, 'j')}${!isPhone.value && html`<span class="divider"></span>`}`}>
      ${shown ? html`<${Entry} key=${eventKey(shown)} event=${shown} />` : html`<${NotThere} isSlow=${isSlow} />`}
    <//>
    <${PanelKeys} key=${isWide.value} scope="Events" bindings=${isWide.value ? [] : KEYS} />`
}

function Head({ event, label }: { event: StoredEvent; label: string }) {
  const { source, kind } = event
  const from = sourceLabel(source)
  return html`<${ValueMenu} value=${{ name: 'source', value: source, words: from }}><${SourceGlyph} source=${source} name=${from} /><//>
    <h2 class="entry-title"><${Words} text=${label} limit=${60} /></h2>
    <span class="entry-kind code quiet-text ellipsis"><${ValueMenu} value=${{ name: 'kind', value: kind, words: kind }}><${Words} text=${kind} limit=${120} /><//></span>`
}

function Entry({ event }: { event: StoredEvent }) {
  const terms = searchTerms(filters.value.q)
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Scrolls to the top for each event.
    const { current: element } = top
    if (element?.parentElement) element.parentElement.scrollTop = 0
  }, [])
  return html`<div ref=${top} class="entry">
    <${EntryCard} event=${event} terms=${terms} />
    <${EntryErased} event=${event} />
    <${EntryActions} event=${event} />
    <${EntryAbout} event=${event} terms=${terms} />
    <${EntryCards} event=${event} />
    <${EntryStory} event=${event} />
    <${EntryAround} event=${event} />
    <${EntryConversation} event=${event} terms=${terms} />
    <${EntryArrival} event=${event} />
    <${EntryJson} event=${event} terms=${terms} />
  </div>`
}

function NotThere({ isSlow }: { isSlow: boolean }) {
  const problem = selectedProblem.value
  if (problem instanceof ApiProblem && problem.status === 404) {
    return html`<div class="panel-section">
      <h3>There is no such event.</h3>
      <p class="dim-text anywhere spaced">No event has the key <code><${Words} text=${selectedKey.value ?? ''} limit=${400} /></code>. Check that the link is complete and belongs to this ledger.</p>
    </div>`
  }
  const listed = loaded.value.items.find(({ key }) => key === selectedKey.value)
  if (listed && problem instanceof ApiProblem && problem.code === 'no_answer') {
    const { sentence, words, captured_at: at, kind } = listed
    return html`<div class="panel-section form">
      <p><${Sentence} parts=${sentence} terms=${[]} role=${roleOf(listed)} isProgram=${isProgram(listed)} /></p>
      ${words.kind !== 'none' && html`<p class="entry-text"><${Words} text=${words.text} /></p>`}
      <p class="quiet-text">${exactTime(at).split('\n')[0]} · <span class="code">${kind}</span></p>
      <${Note} kind="warn" what="Only part of this event is loaded.">The rest loads when the server answers.<//>
    </div>`
  }
  if (problem !== undefined) {
    return html`<div class="panel-section"><${ProblemNote} what="The event could not be loaded." problem=${problem} onRetry=${retrySelected} /></div>`
  }
  return html`<div class="panel-section entry-skeleton stack" aria-busy="true">${isSlow && html`<span class="skeleton"></span><span class="skeleton"></span><span class="skeleton"></span>`}</div>`
}

/** A modal panel suspends the view's shortcuts, so it binds them again. */
const KEYS: readonly KeyBinding[] = [
  { keys: 'j', run: () => walk(1) },
  { keys: 'k', run: () => walk(-1) },
  { keys: 'c', run: () => void copyLink(selectedKey.peek() ?? '') },
]

/** `Pull request`: the object type as a heading. */
function nounOf({ action, kind }: StoredEvent): string {
  return capital((action.object_type || kind.split('.')[0] || 'event').replaceAll('_', ' '))
}
