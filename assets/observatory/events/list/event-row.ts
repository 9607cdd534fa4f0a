import type { Outcome } from '#model/sentences/event-outcome'
import { burstSentence } from '#model/sentences/machine-runs'
import { Glyph, OutcomeMark, SourceGlyph, VerifiedMark } from '../../../shared/controls/glyph.js'
import { classes, html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { Words } from '../../../shared/words/text-view.js'
import { dayHeading } from '../../../shared/words/time.js'
import { Time } from '../../../shared/words/time-view.js'
import { sourceLabel } from '../../overview.js'
import { isProgram, roleOf } from '../event-words.js'
import { Sentence } from '../sentence-view.js'
import { loaded } from './event-list-state.js'
import type { Burst, ListedEvent } from './list-rows.js'
import { eventDay } from './list-rows.js'

const SHORT = 200

export interface EventRowProps {
  event: ListedEvent
  terms: readonly string[]
  isNew: boolean
  isShort: boolean
  isInBurst: boolean
}

/** One event as a sentence: actor, action, target, and the text. */
export function EventRow({ event, terms, isNew, isShort, isInBurst }: EventRowProps) {
  const { verified, outcome } = event
  return html`<div class=${classes('event-row', isNew && 'is-new', isInBurst && 'is-in-burst')}>
    <span class="event-time"><${Time} at=${event.captured_at} as=${isShort ? 'short' : 'clock'} /></span>
    <span class="event-glyph"><${SourceGlyph} source=${event.source} name=${sourceLabel(event.source)} /></span>
    <div class="event-sentence">
      <p class="event-line">
        <${Sentence} parts=${event.sentence} terms=${terms} role=${roleOf(event)} isProgram=${isProgram(event)}
          mark=${outcome && html`<${OutcomeMark} outcome=${outcome} />`} />
      </p>
      <p class="event-said"><${Said} words=${event.words} terms=${terms} /></p>
    </div>
    <span class="event-kind code ellipsis"><${Words} text=${event.kind} limit=${SHORT} /></span>
    <span class="event-seen">
      ${
        event.seen_count > 1 &&
        html`<span class="event-times" role="img" aria-label=${`came ${event.seen_count} times`}>×${event.seen_count}</span>`
      }
    </span>
    <span class=${classes('event-proof', verified === 'none' && 'is-unverified')}><${VerifiedMark} verified=${verified} /></span>
  </div>`
}

function Said({ words, terms }: Pick<ListedEvent, 'words'> & Pick<EventRowProps, 'terms'>) {
  if (words.kind === 'none') return null
  const text = html`<${Words} text=${words.text} terms=${terms} />`
  return words.kind === 'found'
    ? html`<span class="code quiet-text"><${Words} text=${words.path} limit=${SHORT} />: </span>${text}`
    : text
}

/** What the runs of a burst have in common: `4 checks on acme/app: 1 failed`. Opens and closes it. */
export function BurstRow({ row: { burst, isOpen }, isNew, isShort }: { row: Burst; isNew: boolean; isShort: boolean }) {
  const { captured_at, source, verified } = burst[0] as ListedEvent
  const outcome = outcomeOfAll(burst)
  return html`<div class=${classes('event-row', 'is-burst', isNew && 'is-new')}>
    <span class="event-time"><${Time} at=${captured_at} as=${isShort ? 'short' : 'clock'} /></span>
    <span class="event-glyph"><${SourceGlyph} source=${source} name=${sourceLabel(source)} /></span>
    <div class="event-sentence"><p class="event-line">
      <${Sentence} parts=${burstSentence(burst)} terms=${[]} role="" isProgram=${false}
        mark=${html`<${Glyph} name=${isOpen ? 'chevron-down' : 'chevron-right'} class="small" />${outcome && html` <${OutcomeMark} outcome=${outcome} />`}`} />
    </p></div>
    <span class="event-kind"></span>
    <span class="event-seen"></span>
    <span class="event-proof"><${VerifiedMark} verified=${verified} /></span>
  </div>`
}

function outcomeOfAll(burst: readonly ListedEvent[]): Outcome | undefined {
  const of = (outcome: Outcome) => (event: ListedEvent) => event.outcome === outcome
  if (burst.some(of('failed'))) return 'failed'
  return burst.every(of('succeeded')) ? 'succeeded' : undefined
}

/** All loaded events, for paper: the list on the screen has only the rows in view. */
export function PrintedEvents() {
  const { items } = loaded.value
  return html`<section class="printed-events" aria-label="Events">
    ${items.map(
      (
        event,
        at,
      ) => html`${(at === 0 || eventDay(event) !== eventDay(items[at - 1] ?? event)) && html`<h2 class="day row">${dayHeading(eventDay(event), now.value)}</h2>`}
        <${EventRow} event=${event} terms=${[]} isNew=${false} isShort=${false} isInBurst=${false} />`,
    )}
  </section>`
}
