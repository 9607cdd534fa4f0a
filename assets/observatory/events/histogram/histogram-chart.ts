import { useMemo } from 'preact/hooks'
import { count } from '#model/counted'
import type { EventHistogram } from '#model/ledger-answers'
import { OUTCOMES } from '#model/sentences/event-outcome'
import { OutcomeMark, SourceGlyph, sourceStyle } from '../../../shared/controls/glyph.js'
import { type Children, html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { capital } from '../../../shared/words/text.js'
import { shownZone, toMs } from '../../../shared/words/time.js'
import { bySource, sourceLabel } from '../../overview.js'
import { heightLabel, heightTicks, spanWords, stackBands, timeTicks } from './histogram-scale.js'

const BETWEEN_BARS = 2
/** Width of a label of the time axis in pixels. */
const LABEL_WIDTH = 76

interface ChartProps {
  histogram: EventHistogram
  /** Width of the bars in pixels, without the labels. */
  width: number
  height: number
  at: number | undefined
  brush: readonly [number, number] | undefined
}

/** Stacked bars with grid, labels, guide and brush. */
export function HistogramChart({ histogram, width, height, at, brush }: ChartProps) {
  const edges = edgesOf(histogram)
  const from = edges[0] ?? 0
  const to = edges.at(-1) ?? 0
  const xOf = (ms: number) => Math.round(((ms - from) / (to - from)) * width)
  const edge = (part: number) => xOf(edges[part] ?? to)
  const { styles, bands } = bandsOf(histogram)
  const heights = heightTicks(Math.max(0, ...bands.map(counts => counts.reduce((sum, count) => sum + count))))
  const scale = height / heights[2]
  const paths = styles.map(() => '')
  for (const [part, counts] of bands.entries()) {
    const x = edge(part)
    const w = Math.max(1, edge(part + 1) - x - (part === bands.length - 1 ? 0 : BETWEEN_BARS))
    for (const [band, { from, to }] of stackBands(counts, { scale, unit: 1 }).entries()) {
      if (to > from) paths[band] += `M${x} ${height - to}h${w}v${to - from}h${-w}z`
    }
  }
  const ticks = timeTicks({ from, to, most: Math.max(2, Math.floor(width / LABEL_WIDTH)) })
  const { complete, counted_from: countedFrom } = histogram
  const middle = at === undefined ? 0 : (edge(at) + edge(at + 1)) / 2
  return html`<svg class="histogram-chart" aria-hidden="true">
    ${heights.map(
      count => html`<path class="histogram-grid" d=${`M0 ${Math.round(height - count * scale)}h${width}`} />
        <text x="-10" y=${height - count * scale} text-anchor="end" dominant-baseline="central">${heightLabel(count)}</text>`,
    )}
    ${shownZone.value !== undefined && html`<text x="-10" y=${height} dy="1.4em" text-anchor="end">${shownZone.value}</text>`}
    ${ticks.map(({ ms, label }) => html`<text x=${xOf(ms)} y=${height} dy="1.4em" text-anchor="middle">${label}</text>`)}
    ${styles.map((style, band) => paths[band] && html`<path class=${`histogram-bars ${style}`} d=${paths[band]} />`)}
    ${
      !complete &&
      countedFrom !== null &&
      html`<rect class="histogram-uncounted" width=${Math.max(0, xOf(toMs(countedFrom)))} height=${height} />
        <text x="6" y="12">Not counted: too many events</text>`
    }
    ${brush && html`<rect class="histogram-brush" x=${edge(brush[0])} y="-6" width=${edge(brush[1] + 1) - edge(brush[0])} height=${height + 6} />`}
    ${at !== undefined && html`<path class="histogram-guide" d=${`M${middle} -6v${height + 6}`} />`}
  </svg>`
}

/** The chart's data for screen readers, without empty parts. */
export function HistogramTable({ histogram }: { histogram: EventHistogram }) {
  const { starts, to, counts, by_outcome } = histogram
  // Cached, because Live changes the counts with every frame, but not the times.
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
              ${[...series.map(({ counts }) => counts[at]), together].map(one => html`<td>${countText(one ?? undefined)}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Styles of the bands from bottom to top: sources with their own colour, all others; or outcomes, events without one. */
const SOURCES = ['source-chat', 'source-code-a', 'source-code-b', 'source-forum', 'source-other']
const BY_OUTCOME = [...OUTCOMES.map(outcome => `outcome-${outcome}`), 'outcome-none']

/** Events that are counted separately: those of a source, or with an outcome. */
interface Series {
  label: string
  style: string
  mark: Children
  counts: readonly (number | null)[]
}

/** Start of each part and, last, the end. Epoch milliseconds. */
export function edgesOf({ starts, to }: EventHistogram): number[] {
  // `to` is inclusive to its last microsecond.
  return [...starts.map(toMs), to === null ? 1 : toMs(to) + 1]
}

function seriesOf({ counts, by_source, by_outcome }: EventHistogram): Series[] {
  if (!by_outcome) {
    return Object.keys(by_source)
      .sort(bySource)
      .map(source => ({
        ...{ label: sourceLabel(source), style: `source-${sourceStyle(source)}` },
        ...{ mark: html`<${SourceGlyph} source=${source} />`, counts: by_source[source]?.counts ?? [] },
      }))
  }
  const outcomes = OUTCOMES.flatMap(outcome => {
    const counts = by_outcome[outcome]?.counts
    const mark = html`<${OutcomeMark} outcome=${outcome} isQuiet />`
    return counts ? [{ label: capital(outcome), style: `outcome-${outcome}`, mark, counts }] : []
  })
  const rest = counts.map((all, at) =>
    outcomes.reduce<number | null>((left, { counts }) => {
      const count = counts[at]
      return left === null || count == null ? null : left - count
    }, all),
  )
  return [...outcomes, { label: 'No outcome', style: 'outcome-none', mark: '', counts: rest }]
}

/** Counts of each part by style, and the styles from bottom to top. */
function bandsOf(histogram: EventHistogram): { styles: readonly string[]; bands: number[][] } {
  const styles = histogram.by_outcome ? BY_OUTCOME : SOURCES
  const bands = histogram.starts.map(() => styles.map(() => 0))
  for (const { style, counts } of seriesOf(histogram)) {
    const at = styles.indexOf(style)
    for (const [part, band] of bands.entries()) band[at] = (band[at] ?? 0) + (counts[part] ?? 0)
  }
  return { styles, bands }
}

/** Sums over the parts from first to last, both inclusive; undefined if one is not counted. */
export function sumsOf(histogram: EventHistogram, first: number, last: number) {
  const sum = (counts: readonly (number | null)[]) => {
    const part = counts.slice(first, last + 1)
    return part.includes(null) ? undefined : part.reduce<number>((all, count) => all + (count ?? 0), 0)
  }
  const series = seriesOf(histogram).map(each => ({ ...each, sum: sum(each.counts) }))
  return { series, together: sum(histogram.counts) }
}

/** @param sum undefined if it is not counted */
export function countText(sum: number | undefined): string {
  return sum === undefined ? 'not counted' : count(sum)
}

/** The time from the first to the last part, both inclusive. */
export function spanOf(histogram: EventHistogram, first: number, last: number): string {
  const edges = edgesOf(histogram)
  return spanWords({ from: edges[first] ?? 0, to: edges[last + 1] ?? 0 }, now.peek())
}
