import type { Outcome } from '#model/sentences/event-outcome'
import { burstSentence } from '#model/sentences/machine-runs'
import { Glyph, OutcomeMark, SourceGlyph, VerifiedMark } from '../../../shared/controls/glyph.js'
import { type Children, classes, html } from '../../../shared/html.js'
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

interface EventRowProps {
  event: ListedEvent
  terms: readonly string[]
  isNew: boolean
  isShort: boolean
  isInBurst: boolean
}

/** One event as a sentence: actor, action, target, and the text. */
export function EventRow({ event, terms, isNew, isShort, isInBurst }: EventRowProps) {
  const { outcome, kind, seen_count: seen } = event
  const sentence = html`<p class="event-line">
      <${Sentence} parts=${event.sentence} terms=${terms} role=${roleOf(event)} isProgram=${isProgram(event)}
        mark=${outcome && html`<${OutcomeMark} outcome=${outcome} />`} />
    </p>
    <p class=${classes('event-said', isShort && 'clamp')}><${Said} words=${event.words} terms=${terms} /></p>`
  return html`<${Row} event=${event} class=${classes(isNew && 'is-new', isInBurst && 'is-in-burst')} isShort=${isShort} sentence=${sentence}
    kind=${html`<${Words} text=${kind} limit=${SHORT} />`}
    seen=${seen > 1 && html`<span class="event-times" role="img" aria-label=${`came ${seen} times`}>×${seen}</span>`} />`
}

interface RowProps extends Partial<Record<'sentence' | 'kind' | 'seen', Children>> {
  event: ListedEvent
  class: string
  isShort: boolean
}

function Row({ event: { captured_at, source, verified }, class: more, isShort, sentence, kind, seen }: RowProps) {
  return html`<div class=${classes('event-row', more)}>
    <span class="event-time"><${Time} at=${captured_at} as=${isShort ? 'short' : 'clock'} /></span>
    <span class="event-glyph"><${SourceGlyph} source=${source} name=${sourceLabel(source)} /></span>
    <div class="event-sentence">${sentence}</div>
    <span class="event-kind code ellipsis">${kind}</span>
    <span class="event-seen">${seen}</span>
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

/** A row that summarises the runs of a burst, `4 checks on acme/app: 1 failed`, and opens and closes it. */
export function BurstRow({ row: { burst, isOpen }, isNew, isShort }: { row: Burst; isNew: boolean; isShort: boolean }) {
  const outcome = outcomeOfAll(burst)
  const mark = html`<${Glyph} name=${isOpen ? 'chevron-down' : 'chevron-right'} class="small" />${outcome && html` <${OutcomeMark} outcome=${outcome} />`}`
  const sentence = html`<p class="event-line"><${Sentence} parts=${burstSentence(burst)} terms=${[]} role="" isProgram=${false} mark=${mark} /></p>`
  return html`<${Row} event=${burst[0]} class=${classes('is-burst', isNew && 'is-new')} isShort=${isShort} sentence=${sentence} />`
}

function outcomeOfAll(burst: readonly ListedEvent[]): Outcome | undefined {
  const of = (outcome: Outcome) => (event: ListedEvent) => event.outcome === outcome
  if (burst.some(of('failed'))) return 'failed'
  return burst.every(of('succeeded')) ? 'succeeded' : undefined
}

/** All loaded events, for printing: the list on the screen renders only the rows in view. */
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
