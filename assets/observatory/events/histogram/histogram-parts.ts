import type { EventHistogram } from '#model/ledger-answers'
import { OUTCOMES } from '#model/sentences/event-outcome'
import { OutcomeMark, SourceGlyph, sourceStyle } from '../../../shared/controls/glyph.js'
import { type Children, html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { capital, count } from '../../../shared/words/text.js'
import { toMs } from '../../../shared/words/time.js'
import { bySource, sourceLabel } from '../../overview.js'
import { spanWords } from './histogram-scale.js'

/** Styles of the bands from bottom to top: sources with their own colour, all others; or outcomes, events without one. */
const SOURCES = ['source-chat', 'source-code-a', 'source-code-b', 'source-forum', 'source-other']
const BY_OUTCOME = [...OUTCOMES.map(outcome => `outcome-${outcome}`), 'outcome-none']

/** What is counted separately: a source, or an outcome. */
export interface Series {
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

/** The sources, or the outcomes if they are counted. */
export function seriesOf({ counts, by_source, by_outcome }: EventHistogram): Series[] {
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
export function bandsOf(histogram: EventHistogram): { styles: readonly string[]; bands: number[][] } {
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
export function countWords(sum: number | undefined): string {
  return sum === undefined ? 'not counted' : count(sum)
}

/** The time from the first to the last part, both inclusive. */
export function spanOf(histogram: EventHistogram, first: number, last: number): string {
  const edges = edgesOf(histogram)
  return spanWords({ from: edges[first] ?? 0, to: edges[last + 1] ?? 0 }, now.peek())
}
