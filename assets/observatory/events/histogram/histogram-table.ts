import { useMemo } from 'preact/hooks'
import { html } from '../../../shared/html.js'
import type { EventHistogram } from '../../../shared/server/wire.js'
import { shownZone } from '../../../shared/words/time.js'
import { countWords, seriesOf, spanOf } from './histogram-parts.js'

/** The chart's data for screen readers, without empty parts. */
export function HistogramTable({ histogram }: { histogram: EventHistogram }) {
  const { starts, to, counts, by_outcome } = histogram
  // Live changes the counts with every frame, but not the times.
  const spans = useMemo(() => starts.map((_, at) => spanOf(histogram, at, at)), [starts, to, shownZone.value])
  const series = seriesOf(histogram)
  return html`<div class="visually-hidden">
    <table>
      <caption>Events over time, by ${by_outcome ? 'outcome' : 'source'}. Intervals without events are omitted.</caption>
      <thead><tr><th scope="col">Time</th>${series.map(({ label }) => html`<th scope="col">${label}</th>`)}<th scope="col">Total</th></tr></thead>
      <tbody>
        ${counts.map(
          (together, at) =>
            together !== 0 &&
            html`<tr><th scope="row">${spans[at]}</th>
              ${[...series.map(({ counts }) => counts[at]), together].map(one => html`<td>${countWords(one ?? undefined)}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
