import { useMemo } from 'preact/hooks'
import { html } from '../../../shared/html.js'
import type { EventHistogram } from '../../../shared/server/wire.js'
import { count } from '../../../shared/words/text.js'
import { shownZone } from '../../../shared/words/time.js'
import { bySource, sourceLabel } from '../../sources.js'
import { spanOf } from './histogram-parts.js'

/** The chart's data for screen readers, without empty parts. */
export function HistogramTable({ histogram }: { histogram: EventHistogram }) {
  const { starts, to, counts, by_source } = histogram
  // Live changes the counts with every frame, but not the times.
  const spans = useMemo(() => starts.map((_, at) => spanOf(histogram, at, at)), [starts, to, shownZone.value])
  const sources = Object.keys(by_source).sort(bySource)
  return html`<div class="visually-hidden">
    <table>
      <caption>Events over time, by source. Intervals without events are omitted.</caption>
      <thead><tr><th scope="col">Time</th>${sources.map(source => html`<th scope="col">${sourceLabel(source)}</th>`)}<th scope="col">Together</th></tr></thead>
      <tbody>
        ${counts.map(
          (together, at) =>
            together !== 0 &&
            html`<tr><th scope="row">${spans[at]}</th>
              ${sources.map(source => html`<td>${count(by_source[source]?.counts[at] ?? 0)}</td>`)}
              <td>${together === null ? 'not counted' : count(together)}</td></tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
