import { SourceGlyph, VerifiedMark } from '../../shared/glyph.js'
import { classes, html } from '../../shared/html.js'
import { Words } from '../../shared/text-view.js'
import { Time } from '../../shared/time-view.js'
import type { LedgerEvent } from '../../shared/wire.js'
import { sourceLabel } from '../sources.js'
import { actorName, crumbsOf, isProgram, roleOf, verbOf } from './event-words.js'
import { keptRowWords } from './row-words.js'

/** Names and breadcrumbs are short, or are cut. */
const SHORT = 200

export interface EventRowProps {
  event: LedgerEvent
  /** What is searched for. */
  terms: readonly string[]
  /** It has just come. */
  isNew: boolean
  isShort: boolean
}

/** One event as a sentence: who did what to what, and the words said. */
export function EventRow({ event, terms, isNew, isShort }: EventRowProps) {
  const role = roleOf(event)
  const crumbs = crumbsOf(event)
  const { verified } = event.provenance
  return html`<div class=${classes('event-row', isNew && 'is-new')}>
    <span class="event-time"><${Time} at=${event.captured_at} as=${isShort ? 'short' : 'clock'} /></span>
    <span class="event-glyph"><${SourceGlyph} source=${event.source} name=${sourceLabel(event.source)} /></span>
    <div class="event-sentence">
      <p class="event-line">
        <span class="event-head">
          <strong class="event-who"><${Words} text=${actorName(event)} terms=${terms} limit=${SHORT} /></strong>${' '}
          ${role && html`<span class=${isProgram(event) ? 'tag' : 'event-role'}><${Words} text=${role} limit=${SHORT} /></span> `}
          <span class="event-verb"><${Words} text=${verbOf(event)} limit=${SHORT} /></span>${' '}
        </span>
        <span class="event-crumbs">
          ${crumbs.map(
            ({ text }, at) => html`${at > 0 && html`<span class="event-step"> › </span>`}
              <span class=${at === crumbs.length - 1 ? 'event-object' : 'event-parent'}><${Words} text=${text} terms=${terms} limit=${SHORT} /></span>`,
          )}
        </span>
      </p>
      <p class="event-said"><${Said} event=${event} terms=${terms} /></p>
    </div>
    <span class="event-kind code"><${Words} text=${event.kind} limit=${SHORT} /></span>
    <span class="event-seen">
      ${
        event.seen_count > 1 &&
        html`<span class="event-times" role="img" aria-label=${`came ${event.seen_count} times`}>×${event.seen_count}</span>`
      }
    </span>
    <span class=${classes('event-proof', verified === 'none' && 'is-unverified')}><${VerifiedMark} verified=${verified} /></span>
  </div>`
}

function Said({ event, terms }: Pick<EventRowProps, 'event' | 'terms'>) {
  const words = keptRowWords(event, terms)
  if (words.kind === 'none') return html`<span class="quiet-text">No words, only the act.</span>`
  const text = html`<${Words} text=${words.text} terms=${terms} />`
  return words.kind === 'found'
    ? html`<span class="code event-where"><${Words} text=${words.path} limit=${SHORT} />: </span>${text}`
    : text
}
