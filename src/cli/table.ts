import Table from 'cli-table3'
import { cutToWidth, displayWidth } from './display-width.js'
import type { Look } from './look.js'

export interface Column {
  title: string
  /** Takes what the others leave. One column may. */
  flexible?: boolean
  align?: 'right'
}

const GAP = 2
const LEAST_FLEXIBLE = 16

/** Rows under titles, no wider than the terminal while the fixed columns fit. Cells are single lines. */
export function table({ paint, columns }: Look, columnsOf: readonly Column[], rows: readonly string[][]): string {
  const natural = columnsOf.map(({ title }, i) =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[i] ?? '')), displayWidth(title)),
  )
  const fixed = natural.reduce((sum, width, i) => sum + GAP + (columnsOf[i]?.flexible ? 0 : width), -GAP)
  const widths = natural.map((width, i) => {
    return columnsOf[i]?.flexible ? Math.min(width, Math.max(columns - fixed, LEAST_FLEXIBLE)) : width
  })
  const layout = new Table({
    head: columnsOf.map(({ title }) => paint.dim(title)),
    colWidths: widths.map(width => width + GAP),
    colAligns: columnsOf.map(({ align }) => align ?? 'left'),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP, compact: true },
    chars: NO_LINES,
  })
  for (const row of rows) layout.push(row.map((cell, i) => cutToWidth(cell, widths[i] ?? 0)))
  return layout
    .toString()
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
}

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}
