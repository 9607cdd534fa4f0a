import type { Outcome } from '#model/sentences/event-outcome'
import { burstSentence } from '#model/sentences/machine-runs'
import { Glyph, SourceGlyph, VerifiedMark } from '../../../shared/controls/glyph.js'
import { OutcomeMark } from '../../../shared/controls/outcome-mark.js'
import { classes, html } from '../../../shared/html.js'
import { Time } from '../../../shared/words/time-view.js'
import { sourceLabel } from '../../sources.js'
import { Sentence } from '../sentence-view.js'
import type { Burst, ListedEvent } from './list-rows.js'

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
