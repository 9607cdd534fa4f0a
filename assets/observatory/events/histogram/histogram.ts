import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { appearance } from '../../../shared/appearance.js'
import { SourceGlyph, sourceStyle } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import type { EventHistogram } from '../../../shared/server/wire.js'
import { now } from '../../../shared/words/now.js'
import { count } from '../../../shared/words/text.js'
import { localOffset, toMs } from '../../../shared/words/time.js'
import { bySource, sourceLabel } from '../../sources.js'
import { narrowTo, shiftRange } from '../filters/time-range.js'
import { readColours, STACK, type StackStyle } from './histogram-colours.js'
import { counts, followCounts, isCounted } from './histogram-counts.js'
import { HistogramPlot, type PlotData } from './histogram-plot.js'
import { spanWords } from './histogram-scale.js'
import { HistogramTable } from './histogram-table.js'

export { counts } from './histogram-counts.js'

/** Sources named in the tooltip; the rest share one line. */
const MOST_NAMED = 8
/** Pixels before a pointer movement counts as a drag. */
const DRAG_FROM = 4

/** Two parts and everything between them, in either order. */
interface Brush {
  anchor: number
  end: number
}

/** Events over the range, by source. Narrows the range by pointer or keyboard. */
export function Histogram() {
  const shown = counts.value.value
  const box = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | undefined>(undefined)
  const [brush, setBrush] = useState<Brush | undefined>(undefined)
  const drag = useRef<{ x: number; part: number } | undefined>(undefined)
  useEffect(followCounts, [])
  usePlot(box, area, shown)
  useKeys('Events', [
    { keys: '[', does: 'an hour older', run: event => !event.repeat && shiftRange(-1) },
    { keys: ']', does: 'an hour newer', run: event => !event.repeat && shiftRange(1) },
  ])

  const parts = shown?.starts.length ?? 0
  const here = at === undefined || parts === 0 ? undefined : Math.min(at, parts - 1)
  const table = useMemo(() => shown && html`<${HistogramTable} histogram=${shown} />`, [shown])

  const rest = () => {
    drag.current = undefined
    setBrush(undefined)
  }
  const narrow = (chosen: Brush) => {
    if (shown) narrowTo(shown, Math.min(chosen.anchor, chosen.end), Math.max(chosen.anchor, chosen.end))
    rest()
    setAt(undefined)
  }
  const walk = (to: number, isBrush: boolean) => {
    const next = Math.max(0, Math.min(parts - 1, to))
    setBrush(isBrush ? { anchor: brush?.anchor ?? here ?? next, end: next } : undefined)
    setAt(next)
  }
  const press = (event: KeyboardEvent) => {
    if (parts === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    const from = here ?? parts
    if (event.key === 'ArrowLeft') walk(from - 1, event.shiftKey)
    else if (event.key === 'ArrowRight') walk(here === undefined ? 0 : here + 1, event.shiftKey)
    else if (event.key === 'Home') walk(0, event.shiftKey)
    else if (event.key === 'End') walk(parts - 1, event.shiftKey)
    else if (event.key === 'Enter' && here !== undefined) narrow(brush ?? { anchor: here, end: here })
    else if (event.key === 'Escape' && (brush || here !== undefined)) {
      rest()
      setAt(undefined)
    } else return
    event.preventDefault()
  }
  const partAt = (event: PointerEvent) => {
    const rect = area.current?.getBoundingClientRect()
    if (!rect || !shown || parts === 0) return undefined
    const { starts, end } = timesOf(shown)
    const first = starts[0] ?? 0
    const ms = first + ((event.clientX - rect.left) / rect.width) * (end - first)
    return Math.max(
      0,
      starts.findLastIndex(start => start <= ms),
    )
  }
  const grab = (event: PointerEvent) => {
    const part = partAt(event)
    if (part === undefined || event.button !== 0) return
    drag.current = { x: event.clientX, part }
    setBrush(undefined)
    setAt(part)
    area.current?.setPointerCapture(event.pointerId)
  }
  const point = (event: PointerEvent) => {
    const part = partAt(event)
    if (part === undefined) return
    setAt(part)
    const { current: begun } = drag
    if (begun && (brush || Math.abs(event.clientX - begun.x) > DRAG_FROM)) setBrush({ anchor: begun.part, end: part })
  }
  const release = () => {
    if (drag.current && brush) narrow(brush)
    drag.current = undefined
  }
  const leave = (event: PointerEvent) => {
    // A touched bar stays selected until another touch.
    if (drag.current || event.pointerType !== 'mouse') return
    if (document.activeElement !== area.current) setAt(undefined)
  }
  const blur = () => {
    rest()
    setAt(undefined)
  }

  const valueText = shown && here !== undefined ? wordsOf(shown, here, brush) : 'No part of the range'
  return html`<section class="histogram" aria-label="Events over time">
    <div ref=${box} class="histogram-plot" aria-hidden="true">
      ${[...STACK.map(style => `source-${style}`), 'is-grid', 'is-label'].map(name => html`<span class=${`histogram-probe ${name}`}></span>`)}
    </div>
    <div ref=${area} class="histogram-area" role="slider" tabindex="0" aria-label="Time in the histogram"
      aria-describedby="histogram-hint" aria-disabled=${parts === 0} aria-orientation="horizontal"
      aria-valuemin="0" aria-valuemax=${Math.max(0, parts - 1)} aria-valuenow=${here ?? 0} aria-valuetext=${valueText}
      onKeyDown=${press} onBlur=${blur} onPointerDown=${grab} onPointerMove=${point} onPointerUp=${release}
      onPointerCancel=${blur} onPointerLeave=${leave}>
      ${shown && html`<${Overlay} histogram=${shown} at=${here} brush=${brush} />`}
    </div>
    <p id="histogram-hint" hidden>Arrow keys move through time, with Shift they select a range, Enter shows it.</p>
    ${
      counts.problem.value !== undefined &&
      !isCounted.value &&
      html`<p class="histogram-problem">The events could not be counted. <button type="button" class="link" onClick=${() => void counts.load()}>Try again</button></p>`
    }
    ${table}
  </section>`
}

/** Guide, brush and tooltip over the bars. */
function Overlay({ histogram, at, brush }: { histogram: EventHistogram; at?: number; brush?: Brush }) {
  const { starts, end } = timesOf(histogram)
  const first = starts[0] ?? 0
  const share = (ms: number) => `${((ms - first) / (end - first)) * 100}%`
  const begin = brush && starts[Math.min(brush.anchor, brush.end)]
  const finish = brush && (starts[Math.max(brush.anchor, brush.end) + 1] ?? end)
  const start = at === undefined ? undefined : starts[at]
  const middle = start === undefined || at === undefined ? undefined : (start + (starts[at + 1] ?? end)) / 2
  const { counted_from: countedFrom, complete } = histogram
  return html`
    ${
      !complete &&
      countedFrom !== null &&
      html`<div class="histogram-uncounted" style=${{ width: share(toMs(countedFrom)) }}><span>Not counted: too many events</span></div>`
    }
    ${begin !== undefined && finish !== undefined && html`<div class="histogram-brush" style=${{ left: share(begin), right: `calc(100% - ${share(finish)})` }}></div>`}
    ${
      middle !== undefined &&
      at !== undefined &&
      html`<div class="histogram-guide" style=${{ left: share(middle) }}></div>
        <${Tip} histogram=${histogram} first=${brush ? Math.min(brush.anchor, brush.end) : at} last=${brush ? Math.max(brush.anchor, brush.end) : at}
          place=${middle - first > (end - first) / 2 ? { right: `calc(100% - ${share(middle)} + 12px)` } : { left: `calc(${share(middle)} + 12px)` }} />`
    }`
}

interface TipProps {
  histogram: EventHistogram
  /** Parts, both inclusive. */
  first: number
  last: number
  place: { left?: string; right?: string }
}

function Tip({ histogram, first, last, place }: TipProps) {
  const { sources, together } = sumsOf(histogram, first, last)
  const named = sources.slice(0, MOST_NAMED)
  const others = sources.slice(MOST_NAMED)
  return html`<div class="histogram-tip" style=${place} aria-hidden="true">
    <p>${spanOf(histogram, first, last)}</p>
    <dl>
      ${named.map(
        ({ source, sum }) => html`<div>
          <dt><${SourceGlyph} source=${source} /><span class="ellipsis">${sourceLabel(source)}</span></dt><dd>${count(sum)}</dd>
        </div>`,
      )}
      ${others.length > 0 && html`<div><dt>${others.length} more sources</dt><dd>${count(others.reduce((all, { sum }) => all + sum, 0))}</dd></div>`}
      <div class="is-together"><dt>Together</dt><dd>${together === undefined ? 'not counted' : count(together)}</dd></div>
    </dl>
  </div>`
}

function wordsOf(histogram: EventHistogram, at: number, brush: Brush | undefined): string {
  const first = brush ? Math.min(brush.anchor, brush.end) : at
  const last = brush ? Math.max(brush.anchor, brush.end) : at
  const { sources, together } = sumsOf(histogram, first, last)
  const all = [
    together === undefined ? 'not counted' : `${count(together)} together`,
    ...sources.filter(({ sum }) => sum > 0).map(({ source, sum }) => `${sourceLabel(source)} ${count(sum)}`),
  ]
  return `${spanOf(histogram, first, last)}${brush ? ', chosen' : ''}: ${all.join(', ')}`
}

/** Sums over the parts from first to last, both inclusive. */
function sumsOf({ counts, by_source }: EventHistogram, first: number, last: number) {
  const sum = (counts: readonly (number | null)[]) =>
    counts.slice(first, last + 1).reduce<number>((all, count) => all + (count ?? 0), 0)
  const sources = Object.keys(by_source).sort(bySource)
  return {
    sources: sources.map(source => ({ source, sum: sum(by_source[source]?.counts ?? []) })),
    together: counts.slice(first, last + 1).includes(null) ? undefined : sum(counts),
  }
}

function spanOf(histogram: EventHistogram, first: number, last: number): string {
  const { starts, end } = timesOf(histogram)
  return spanWords({ from: starts[first] ?? 0, to: starts[last + 1] ?? end }, now.peek(), localOffset)
}

/** Epoch milliseconds. */
function timesOf({ starts, to }: EventHistogram): { starts: number[]; end: number } {
  // `to` is inclusive to its last microsecond.
  return { starts: starts.map(toMs), end: to === null ? 1 : toMs(to) + 1 }
}

function toPlotData(histogram: EventHistogram): PlotData {
  const bands = Object.fromEntries(STACK.map(style => [style, histogram.starts.map(() => 0)])) as Record<
    StackStyle,
    number[]
  >
  for (const [source, { counts }] of Object.entries(histogram.by_source)) {
    const band = bands[sourceStyle(source) as StackStyle]
    counts.forEach((count, at) => {
      band[at] = (band[at] ?? 0) + (count ?? 0)
    })
  }
  return { ...timesOf(histogram), bands }
}

/** Loads the chart library once there is data, so that it does not delay the first content. */
function usePlot(
  box: { current: HTMLElement | null },
  area: { current: HTMLElement | null },
  histogram: EventHistogram | undefined,
): void {
  const plot = useRef<HistogramPlot | undefined>(undefined)
  const latest = useRef<EventHistogram | undefined>(undefined)
  latest.current = histogram
  const isThere = histogram !== undefined
  useEffect(() => {
    if (!isThere) return
    let isGone = false
    void import('uplot').then(({ default: Chart }) => {
      if (isGone || !box.current || !area.current || !latest.current) return
      plot.current = new HistogramPlot(
        Chart,
        box.current,
        area.current,
        toPlotData(latest.current),
        readColours(box.current),
      )
    })
    return () => {
      isGone = true
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [isThere])
  useEffect(() => {
    if (histogram) plot.current?.show(toPlotData(histogram))
  }, [histogram])
  const recolour = () => {
    if (box.current) plot.current?.recolour(readColours(box.current))
  }
  useSignalEffect(() => {
    appearance.value
    recolour()
  })
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', recolour)
    return () => scheme.removeEventListener('change', recolour)
  }, [])
}
