import { sourceStyle } from '../../../shared/controls/glyph.js'
import type { EventHistogram } from '../../../shared/server/wire.js'
import { now } from '../../../shared/words/now.js'
import { toMs } from '../../../shared/words/time.js'
import { bySource } from '../../sources.js'
import { spanWords } from './histogram-scale.js'

/** Sources with their own colour, from bottom to top, then all others together. */
export const STACK: readonly string[] = ['chat', 'code-a', 'code-b', 'forum', 'other']

/** Start of each part and, last, the end. Epoch milliseconds. */
export function edgesOf({ starts, to }: EventHistogram): number[] {
  // `to` is inclusive to its last microsecond.
  return [...starts.map(toMs), to === null ? 1 : toMs(to) + 1]
}

/** Counts of each part, in the order of `STACK`. */
export function bandsOf({ starts, by_source }: EventHistogram): number[][] {
  const bands = starts.map(() => STACK.map(() => 0))
  for (const [source, { counts }] of Object.entries(by_source)) {
    const at = STACK.indexOf(sourceStyle(source))
    for (const [part, band] of bands.entries()) band[at] = (band[at] ?? 0) + (counts[part] ?? 0)
  }
  return bands
}

/** Sums over the parts from first to last, both inclusive; `together` is undefined if one is not counted. */
export function sumsOf({ counts, by_source }: EventHistogram, first: number, last: number) {
  const sum = (counts: readonly (number | null)[] = []) =>
    counts.slice(first, last + 1).reduce<number>((all, count) => all + (count ?? 0), 0)
  return {
    sources: Object.keys(by_source)
      .sort(bySource)
      .map(source => ({ source, sum: sum(by_source[source]?.counts) })),
    together: counts.slice(first, last + 1).includes(null) ? undefined : sum(counts),
  }
}

/** The time from the first to the last part, both inclusive. */
export function spanOf(histogram: EventHistogram, first: number, last: number): string {
  const edges = edgesOf(histogram)
  return spanWords({ from: edges[first] ?? 0, to: edges[last + 1] ?? 0 }, now.peek())
}
