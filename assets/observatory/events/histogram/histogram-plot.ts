import type uPlot from 'uplot'
import { localOffset } from '../../../shared/words/time.js'
import { type HistogramColours, STACK, type StackStyle } from './histogram-colours.js'
import { heightLabel, heightTicks, stackBands, timeTicks } from './histogram-scale.js'

/** Data of the chart. Epoch milliseconds. */
export interface PlotData {
  /** Start of each bar. */
  starts: readonly number[]
  /** End of the last one. */
  end: number
  /** One count per bar. */
  bands: Readonly<Record<StackStyle, readonly number[]>>
}

/** Pixels between two bars. */
const BETWEEN_BARS = 2
/** Pixels for a label of the time axis. */
const LABEL_WIDTH = 76

/** The chart: fills its box; bars fill `area`, with axes around them. */
export class HistogramPlot {
  readonly #plot: uPlot
  readonly #resized: ResizeObserver
  #data: PlotData
  #ticks: readonly { ms: number; label: string }[] = []

  constructor(
    Chart: typeof uPlot,
    private readonly box: HTMLElement,
    private readonly area: HTMLElement,
    data: PlotData,
    private colours: HistogramColours,
  ) {
    this.#data = data
    const inset = () => this.#insets()
    const side = (name: keyof Insets) => () => inset()[name]
    this.#plot = new Chart(
      {
        ...this.#size(),
        ...{
          legend: { show: false },
          cursor: { show: false },
          select: { show: false, left: 0, top: 0, width: 0, height: 0 },
        },
        padding: [side('top'), side('right'), 0, 0],
        scales: {
          x: { time: false, range: () => [this.#data.starts[0] ?? 0, this.#data.end] },
          y: { range: () => [0, this.#heights()[2]] },
        },
        axes: [
          {
            ...{ stroke: () => this.colours.label, grid: { show: false }, ticks: { show: false } },
            ...{ size: side('bottom'), gap: 5, space: 1, font: this.colours.font },
            splits: () => this.#ticks.map(({ ms }) => ms),
            values: (_, splits) => splits.map(ms => this.#ticks.find(tick => tick.ms === ms)?.label ?? ''),
          },
          {
            ...{
              stroke: () => this.colours.label,
              grid: { stroke: () => this.colours.grid, width: 1 },
              ticks: { show: false },
            },
            ...{ size: side('left'), gap: 10, space: 1, font: this.colours.font },
            splits: () => this.#heights(),
            values: (_, splits) => splits.map(heightLabel),
          },
        ],
        series: [{}, ...STACK.map(style => this.#series(Chart, style))],
      },
      this.#aligned(),
      box,
    )
    this.#resized = new ResizeObserver(() => {
      this.#measure()
      this.#plot.setSize(this.#size())
    })
    this.#measure()
    this.#resized.observe(box)
  }

  show(data: PlotData): void {
    this.#data = data
    this.#measure()
    this.#plot.setData(this.#aligned())
  }

  recolour(colours: HistogramColours): void {
    this.colours = colours
    this.#plot.redraw(false, true)
  }

  destroy(): void {
    this.#resized.disconnect()
    this.#plot.destroy()
  }

  #series(Chart: typeof uPlot, style: StackStyle): uPlot.Series {
    return {
      fill: () => this.colours.bands[style],
      width: 0,
      points: { show: false },
      paths: (plot, _, first, last) => {
        const fill = new Path2D()
        for (let at = first; at <= last; at++) this.#addBand(Chart, plot, fill, at, style)
        return { fill }
      },
    }
  }

  #addBand(Chart: typeof uPlot, plot: uPlot, path: Path2D, at: number, style: StackStyle): void {
    const { starts, end, bands } = this.#data
    const index = STACK.indexOf(style)
    if (!bands[style][at]) return
    const unit = Math.round(Chart.pxRatio)
    const ground = Math.round(plot.valToPos(0, 'y', true))
    const scale = ground - plot.valToPos(1, 'y', true) || 0
    const band = stackBands(
      STACK.map(style => bands[style][at] ?? 0),
      { scale, unit },
    )[index]
    if (!band) return
    const left = Math.round(plot.valToPos(starts[at] ?? 0, 'x', true))
    const right = Math.round(plot.valToPos(starts[at + 1] ?? end, 'x', true))
    const width = Math.max(unit, right - left - (at === starts.length - 1 ? 0 : BETWEEN_BARS * unit))
    path.rect(left, ground - band.to, width, band.to - band.from)
  }

  #measure(): void {
    const { starts, end } = this.#data
    const most = Math.max(2, Math.floor(this.area.clientWidth / LABEL_WIDTH))
    this.#ticks = timeTicks({ from: starts[0] ?? 0, to: end, most, offsetAt: localOffset })
  }

  #heights(): number[] & { 2: number } {
    const { starts, bands } = this.#data
    const sums = starts.map((_, at) => STACK.reduce((sum, style) => sum + (bands[style][at] ?? 0), 0))
    return heightTicks(Math.max(0, ...sums))
  }

  #aligned(): uPlot.AlignedData {
    return [[...this.#data.starts], ...STACK.map(style => [...this.#data.bands[style]])]
  }

  #size(): { width: number; height: number } {
    return { width: this.box.clientWidth, height: this.box.clientHeight }
  }

  #insets(): Insets {
    const box = this.box.getBoundingClientRect()
    const area = this.area.getBoundingClientRect()
    return {
      left: area.left - box.left,
      right: box.right - area.right,
      top: area.top - box.top,
      bottom: box.bottom - area.bottom,
    }
  }
}

interface Insets {
  left: number
  right: number
  top: number
  bottom: number
}
