import { SourceGlyph, VerifiedMark } from '../../../shared/controls/glyph.js'
import { OutcomeMark } from '../../../shared/controls/outcome-mark.js'
import { classes, html } from '../../../shared/html.js'
import { Words } from '../../../shared/words/text-view.js'
import { Time } from '../../../shared/words/time-view.js'
import { sourceLabel } from '../../sources.js'
import { isProgram, roleOf } from '../event-words.js'
import { Sentence } from '../sentence-view.js'
import type { ListedEvent } from './list-rows.js'

/** Longer names are truncated. */
const SHORT = 200

export interface EventRowProps {
  event: ListedEvent
  /** Search terms. */
  terms: readonly string[]
  /** Whether it has just arrived. */
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

function Said({ words, terms }: Pick<ListedEvent, 'words'> & Pick<EventRowProps, 'terms'>) {
  if (words.kind === 'none') return null
  const text = html`<${Words} text=${words.text} terms=${terms} />`
  return words.kind === 'found'
    ? html`<span class="code event-where"><${Words} text=${words.path} limit=${SHORT} />: </span>${text}`
    : text
}
