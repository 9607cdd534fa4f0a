import type { StoredEvent } from '#model/events/event'
import { outcomeGroupOf } from '#model/sentences/event-outcome'
import { sentenceOf } from '#model/sentences/event-sentence'
import { SourceGlyph, VerifiedMark } from '../../../shared/controls/glyph.js'
import { OutcomeMark } from '../../../shared/controls/outcome-mark.js'
import { classes, html } from '../../../shared/html.js'
import { Words } from '../../../shared/words/text-view.js'
import { Time } from '../../../shared/words/time-view.js'
import { sourceLabel } from '../../sources.js'
import { isProgram, roleOf } from '../event-words.js'
import { Sentence } from '../sentence-view.js'
import { keptRowWords } from './row-words.js'

/** Longer names are truncated. */
const SHORT = 200

export interface EventRowProps {
  event: StoredEvent
  /** Search terms. */
  terms: readonly string[]
  /** Whether it has just arrived. */
  isNew: boolean
  isShort: boolean
}

/** One event as a sentence: actor, action, target, and the text. */
export function EventRow({ event, terms, isNew, isShort }: EventRowProps) {
  const { verified } = event.provenance
  const outcome = outcomeGroupOf(event)
  return html`<div class=${classes('event-row', isNew && 'is-new')}>
    <span class="event-time"><${Time} at=${event.captured_at} as=${isShort ? 'short' : 'clock'} /></span>
    <span class="event-glyph"><${SourceGlyph} source=${event.source} name=${sourceLabel(event.source)} /></span>
    <div class="event-sentence">
      <p class="event-line">
        ${outcome && html`<${OutcomeMark} outcome=${outcome} /> `}
        <${Sentence} parts=${sentenceOf(event)} terms=${terms} role=${roleOf(event)} isProgram=${isProgram(event)} />
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
  if (words.kind === 'none') return null
  const text = html`<${Words} text=${words.text} terms=${terms} />`
  return words.kind === 'found'
    ? html`<span class="code event-where"><${Words} text=${words.path} limit=${SHORT} />: </span>${text}`
    : text
}
