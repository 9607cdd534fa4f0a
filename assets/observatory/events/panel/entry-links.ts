import type { LinkedCards } from '#model/board/linked-items'
import type { StoredEvent } from '#model/events/event'
import { href } from '../../../shared/address.js'
import { CopyButton } from '../../../shared/controls/copy.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { LoadProblem } from '../../../shared/controls/note.js'
import { html } from '../../../shared/html.js'
import { isPhone, isWide } from '../../../shared/media.js'
import { api, useResource } from '../../../shared/server/api.js'
import { otherProgramUrl, rootPath } from '../../../shared/server/root-path.js'
import { isOpen } from '../../../shared/server/session.js'
import { Words } from '../../../shared/words/text-view.js'
import { curlCommand } from '../event-commands.js'
import { cardLink, cardUrl, eventPath, platformLink, watchTarget } from '../event-links.js'
import { chainOf, eventKey } from '../event-words.js'
import { type Filters, NO_FILTERS } from '../filters/filter-params.js'
import { eventLink, filtersQuery } from '../filters/filters.js'
import { moved } from '../histogram/histogram-buckets.js'
import { conversationOf } from './conversation.js'

/** Actions on an event: open it on its platform, make a card, copy a command or link. */
export function EntryActions({ event }: { event: StoredEvent }) {
  const platform = platformLink(event)
  const target = watchTarget(event)
  const isShort = isPhone.value
  const ledger = { base: location.origin + rootPath, needsToken: !isOpen() }
  const curl = () => curlCommand(ledger, eventPath(eventKey(event)))
  return html`<div class="entry-actions buttons" role="group" aria-label="Actions">
    ${
      platform &&
      html`<a class="button" href=${platform} target="_blank" rel="noopener noreferrer" title=${platform}>
        <${Glyph} name="external" />Open${!isShort && html` on <span class="entry-platform ellipsis">${new URL(platform).host}</span>`}
        <span class="visually-hidden">, in a new tab</span>
      </a>`
    }
    ${
      otherProgramUrl !== undefined &&
      html`<a class="button" href=${cardLink(otherProgramUrl, event)}><${Glyph} name="card" />${isShort ? 'Card' : 'Make a card'}</a>`
    }
    ${
      target !== undefined &&
      html`<a class="button" href=${href('/subscriptions', new URLSearchParams({ new: 'true', source: event.source, target }))} title=${`Subscribe to ${target}`}><${Glyph} name="eye" />Watch</a>`
    }
    <${CopyButton} text=${curl} label=${isShort ? 'curl' : 'Copy as curl'} glyph="terminal" />
    <${CopyButton} text=${() => eventLink(eventKey(event))} label="Copy link" isBare />
  </div>`
}

/** The board's cards that link to the event. Renders nothing if there are none, or if the board does not show them. */
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

const MINUTES = [5, 15, 60] as const

interface Place {
  label: string
  name: string
  only: Partial<Filters>
}

/** Links to events shortly before and after this one: everywhere, in its places, by its person. */
export function EntryAround({ event }: { event: StoredEvent }) {
  return html`<section class="panel-section" aria-label="Around this">
    <h3>Around this</h3>
    <dl class="facts">
      ${placesOf(event).map(
        ({ label, name, only }) => html`<div><dt>${label}</dt><dd class="entry-around row wrap">
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

/** A link that opens the list at the event. If the panel covers the list, the link closes it. */
function aroundLink(event: StoredEvent, minutes: number, only: Partial<Filters>): string {
  const at = event.captured_at
  const range = { from: moved(at, -minutes * 60_000), to: moved(at, minutes * 60_000), live: false }
  return href('/', filtersQuery({ ...NO_FILTERS, ...range, ...only, event: isWide.value ? eventKey(event) : '' }))
}
