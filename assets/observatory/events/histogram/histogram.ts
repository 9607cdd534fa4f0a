import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { EventHistogram } from '#model/ledger-answers'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import { narrowTo, shiftRange } from '../filters/time-range.js'
import { countText, edgesOf, HistogramChart, HistogramTable, spanOf, sumsOf } from './histogram-chart.js'
import { counts, followCounts, isCounted } from './histogram-counts.js'

/** Sources named in the tooltip; the rest share one line. */
const MOST_NAMED = 8
/** Pixels before a pointer movement counts as a drag. */
const DRAG_FROM = 4

/** The active part; with an anchor, everything between them is selected, in either order. */
interface Mark {
  at: number
  anchor?: number | undefined
}

/** Events over the range, by source. Narrows the range by pointer or keyboard. */
export function Histogram() {
  const shown = counts.value.value
  const area = useRef<HTMLDivElement>(null)
  const size = useSize(area)
  const [mark, setMark] = useState<Mark | undefined>(undefined)
  const drag = useRef<{ x: number; part: number } | undefined>(undefined)
  useEffect(followCounts, [])
  useKeys('Events', [
    { keys: '[', does: 'an hour older', run: event => !event.repeat && shiftRange(-1) },
    { keys: ']', does: 'an hour newer', run: event => !event.repeat && shiftRange(1) },
  ])
  const table = useMemo(() => shown && html`<${HistogramTable} histogram=${shown} />`, [shown])

  const last = (shown?.starts.length ?? 0) - 1
  // Newer counts may have fewer parts.
  const at = mark && last >= 0 ? Math.min(mark.at, last) : undefined
  const anchor = at === undefined || mark?.anchor === undefined ? undefined : Math.min(mark.anchor, last)
  const brush =
    at === undefined || anchor === undefined ? undefined : ([at, anchor].sort((a, b) => a - b) as [number, number])
  const rest = () => {
    drag.current = undefined
    setMark(undefined)
  }
  const narrow = ([first, last]: readonly [number, number]) => {
    if (shown) narrowTo(shown, first, last)
    rest()
  }
  const press = (event: KeyboardEvent) => {
    if (last < 0 || event.ctrlKey || event.metaKey || event.altKey) return
    const places: Record<string, number> = {
      ArrowLeft: (at ?? last + 1) - 1,
      ArrowRight: (at ?? -1) + 1,
      Home: 0,
      End: last,
    }
    const to = places[event.key]
    if (to !== undefined) {
      const next = Math.max(0, Math.min(last, to))
      setMark({ at: next, anchor: event.shiftKey ? (anchor ?? at ?? next) : undefined })
    } else if (at !== undefined && event.key === 'Enter') narrow(brush ?? [at, at])
    else if (at !== undefined && event.key === 'Escape') rest()
    else return
    event.preventDefault()
  }
  const partAt = ({ clientX }: PointerEvent) => {
    const rect = area.current?.getBoundingClientRect()
    if (!rect || !shown || last < 0) return undefined
    const edges = edgesOf(shown)
    const from = edges[0] ?? 0
    const ms = from + ((clientX - rect.left) / rect.width) * ((edges[last + 1] ?? 0) - from)
    const part = edges.slice(0, -1).findLastIndex(edge => edge <= ms)
    return Math.max(0, part)
  }
  const grab = (event: PointerEvent) => {
    const part = partAt(event)
    if (part === undefined || event.button !== 0) return
    drag.current = { x: event.clientX, part }
    setMark({ at: part })
    area.current?.setPointerCapture(event.pointerId)
  }
  const point = (event: PointerEvent) => {
    const part = partAt(event)
    if (part === undefined) return
    const { current: begun } = drag
    const isBrush = begun && (brush || Math.abs(event.clientX - begun.x) > DRAG_FROM)
    setMark({ at: part, anchor: isBrush ? begun.part : undefined })
  }
  const release = () => {
    if (drag.current && brush) narrow(brush)
    drag.current = undefined
  }
  const leave = (event: PointerEvent) => {
    // A touched bar stays selected until another touch.
    if (drag.current || event.pointerType !== 'mouse') return
    if (document.activeElement !== area.current) rest()
  }

  const valueText =
    shown && at !== undefined ? wordsOf(shown, brush ?? [at, at], brush !== undefined) : 'No part of the range'
  return html`<section class="histogram" aria-label="Events over time">
    <div ref=${area} class="histogram-area" role="slider" tabindex="0" aria-label="Time in the histogram"
      aria-describedby="histogram-hint" aria-disabled=${last < 0} aria-orientation="horizontal"
      aria-valuemin="0" aria-valuemax=${Math.max(0, last)} aria-valuenow=${at ?? 0} aria-valuetext=${valueText}
      onKeyDown=${press} onBlur=${rest} onPointerDown=${grab} onPointerMove=${point} onPointerUp=${release}
      onPointerCancel=${rest} onPointerLeave=${leave}>
      ${shown && size && html`<${HistogramChart} histogram=${shown} ...${size} at=${at} brush=${brush} />`}
      ${shown && at !== undefined && html`<${Tip} histogram=${shown} span=${brush ?? [at, at]} place=${(at + 0.5) / (last + 1)} />`}
    </div>
    <p id="histogram-hint" hidden>Arrow keys move through time, with Shift they select a range, Enter shows it.</p>
    ${
      counts.problem.value !== undefined &&
      !isCounted.value &&
      html`<p class="tag danger histogram-problem">The events could not be counted. <button type="button" class="link" onClick=${() => void counts.load()}>Try again</button></p>`
    }
    ${table}
  </section>`
}

interface TipProps {
  histogram: EventHistogram
  span: readonly [number, number]
  /** Between 0 and 1, from the left. */
  place: number
}

function Tip({ histogram, span, place }: TipProps) {
  const { series, together } = sumsOf(histogram, ...span)
  const others = series.slice(MOST_NAMED)
  const style =
    place > 0.5
      ? { right: `calc(${(1 - place) * 100}% + 12px)`, left: 'auto' }
      : { left: `calc(${place * 100}% + 12px)`, right: 'auto' }
  return html`<div class="histogram-tip" style=${style} aria-hidden="true">
    <p>${spanOf(histogram, ...span)}</p>
    <dl>
      ${series.slice(0, MOST_NAMED).map(
        ({ label, mark, sum }) => html`<div class="row">
          <dt class="row grow">${mark}<span class="ellipsis">${label}</span></dt><dd>${countText(sum)}</dd>
        </div>`,
      )}
      ${others.length > 0 && html`<div class="row"><dt class="grow">${others.length} more sources</dt><dd>${countText(others.reduce((all, { sum = 0 }) => all + sum, 0))}</dd></div>`}
      <div class="row is-together"><dt class="grow">Total</dt><dd>${countText(together)}</dd></div>
    </dl>
  </div>`
}

function wordsOf(histogram: EventHistogram, span: readonly [number, number], isBrush: boolean): string {
  const { series, together } = sumsOf(histogram, ...span)
  const all = [
    together === undefined ? countText(together) : `${countText(together)} in total`,
    ...series.filter(({ sum }) => sum !== 0).map(({ label, sum }) => `${label} ${countText(sum)}`),
  ]
  return `${spanOf(histogram, ...span)}${isBrush ? ', selected' : ''}: ${all.join(', ')}`
}

function useSize(ref: { current: HTMLElement | null }): { width: number; height: number } | undefined {
  const [size, setSize] = useState<{ width: number; height: number } | undefined>(undefined)
  useLayoutEffect(() => {
    const { current: element } = ref
    if (!element) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    measure()
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return size
}
