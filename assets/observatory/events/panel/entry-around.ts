import type { StoredEvent } from '#model/events/event'
import { html } from '../../../shared/html.js'
import { isWide } from '../../../shared/media.js'
import { href } from '../../../shared/server/address.js'
import { chainOf, eventKey } from '../event-words.js'
import { type Filters, NO_FILTERS } from '../filters/filter-params.js'
import { filtersQuery } from '../filters/filters.js'
import { moved } from '../histogram/histogram-buckets.js'
import { conversationOf } from './conversation.js'

const MINUTES = [5, 15, 60] as const

interface Place {
  label: string
  name: string
  only: Partial<Filters>
}

/** Links to what else happened shortly before and after the event: everywhere, in its places, by its person. */
export function EntryAround({ event }: { event: StoredEvent }) {
  return html`<section class="panel-section" aria-label="Around this">
    <h3>Around this</h3>
    <dl class="facts">
      ${placesOf(event).map(
        ({ label, name, only }) => html`<div><dt>${label}</dt><dd class="entry-around">
          ${MINUTES.map(minutes => html`<a href=${aroundLink(event, minutes, only)} title=${name}>±${minutes}\u202fmin</a>`)}
        </dd></div>`,
      )}
    </dl>
  </section>`
}

function placesOf(event: StoredEvent): Place[] {
  const conversation = conversationOf(event)
  const repository = chainOf(event).findLast(({ type, key }) => type === 'repository' && key)
  const { source } = event
  const who = event.actor.display || event.actor.id
  const places: Place[] = [{ label: 'All events', name: 'All sources', only: {} }]
  if (conversation && conversation.key !== repository?.key) {
    places.push({
      label: 'Conversation',
      name: conversation.words,
      only: { target: conversation.key, source: [source] },
    })
  }
  if (repository?.key) {
    const { key, display = key } = repository
    places.push({ label: 'Repository', name: display, only: { target: key, source: [source] } })
  }
  if (who) places.push({ label: 'Person', name: who, only: { actor: [who] } })
  return places
}

/** The list opens at the event. Where the panel covers the list, it is closed. */
function aroundLink(event: StoredEvent, minutes: number, only: Partial<Filters>): string {
  const at = event.captured_at
  const range = { from: moved(at, -minutes * 60_000), to: moved(at, minutes * 60_000), live: false }
  return href('/', filtersQuery({ ...NO_FILTERS, ...range, ...only, event: isWide.value ? eventKey(event) : '' }))
}
