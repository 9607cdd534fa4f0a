import { html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { dateWords, dayHeading, dayOf, toMs } from '../../../shared/words/time.js'
import { overview } from '../../overview.js'
import { rangeOf } from '../filters/filters.js'
import { loaded, loading } from './event-list-state.js'
import { SkeletonRows } from './skeleton-rows.js'

/** Below the last row: more to load, or the end. Part of a list box, so it cannot contain buttons. */
export function ListEnd() {
  if (loading.value === 'older' || loaded.value.hasOlder) return html`<${SkeletonRows} count=${3} />`
  return html`<div class="events-end"><${Beginning} /></div>`
}

function Beginning() {
  const first = overview.value.value?.stats.first_captured_at
  const { from } = rangeOf(now.value)
  if (from === undefined || (first && toMs(first) >= toMs(from))) {
    return html`<p>This is the first event of the ledger${first && `, ${longDate(first)}`}.</p>`
  }
  const earlier = first ? `Earlier events go back to ${longDate(first)}` : 'There are earlier events'
  return html`<p>The range starts on ${dateWords(from, now.value)}. ${earlier}: choose a longer range.</p>`
}

/** `3 March 2026` */
function longDate(instant: string): string {
  const words = dayHeading(dayOf(instant), 0)
  return words.slice(words.indexOf(' ') + 1)
}
