import { html } from '../../shared/html.js'
import { now } from '../../shared/now.js'
import { ProblemNote } from '../../shared/problem-note.js'
import { dateWords, dayHeading, dayOf, toMs } from '../../shared/time.js'
import { overview } from '../overview.js'
import { listProblem, loaded, loading, retryList } from './event-list-state.js'
import { rangeOf } from './filters.js'
import { chooseDays, PRESETS } from './range-picker.js'
import { filters } from './filters.js'
import { DEFAULT_DAYS } from './filter-params.js'
import { SkeletonRows } from './skeleton-rows.js'

/** What stands below the last row: more to come, why it does not, or where this ends. */
export function ListEnd() {
  const failed = listProblem.value
  if (failed?.of === 'older') {
    return html`<div class="events-end">
      <${ProblemNote} what="Older events could not be loaded." problem=${failed.problem} onRetry=${retryList} />
    </div>`
  }
  if (loading.value === 'older' || loaded.value.hasOlder) return html`<${SkeletonRows} count=${3} />`
  return html`<div class="events-end"><${Beginning} /></div>`
}

function Beginning() {
  const first = overview.value.value?.stats.first_captured_at
  const { from } = rangeOf(now.value)
  if (from === undefined || (first && toMs(first) >= toMs(from))) {
    return html`<p>The ledger begins here${first && `, ${longDate(first)}`}.</p>`
  }
  const days = filters.value.days ?? DEFAULT_DAYS
  const longer = filters.value.from === '' ? PRESETS.find(preset => preset > days) : undefined
  return html`<p>The range ends here, ${dateWords(from, now.value)}. The ledger goes on${first && ` back to ${longDate(first)}`}.</p>
    ${
      longer &&
      html`<div class="buttons">
        <button type="button" class="button small" onClick=${() => chooseDays(longer)}>Show ${longer} days</button>
      </div>`
    }`
}

/** `3 March 2026` */
function longDate(instant: string): string {
  const words = dayHeading(dayOf(instant), 0)
  return words.slice(words.indexOf(' ') + 1)
}
