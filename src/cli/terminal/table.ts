import Table from 'cli-table3'
import { Placeholders } from './placeholders.js'
import type { TerminalStyle } from './style.js'
import { cutToWidth, displayWidth } from './text-width.js'

interface Column {
  title: string
  /** Whether the column takes the remaining width and is truncated. At most one column may. */
  flexible?: boolean
  /** Minimum readable width of a flexible column. Default: 16 terminal columns. */
  least?: number
  align?: 'right'
}

const GAP = 2
const INDENT = '  '
const LEAST_FLEXIBLE = 16

interface Placed extends Column {
  /** Its index in a row. */
  index: number
  width: number
}

/**
 * Rows under titles. Cells are single lines. If the terminal is too narrow, a row continues on a second line with its
 * own titles, so that only a flexible column is truncated.
 */
export function table(style: TerminalStyle, columnsOf: readonly Column[], rows: readonly string[][]): string {
  return tableRows(style, columnsOf, rows).flat().join('\n')
}

/** The same as lines per row, titles first. */
export function tableRows(style: TerminalStyle, columnsOf: readonly Column[], rows: readonly string[][]): string[][] {
  const placed = columnsOf.map((column, index) => {
    const title = style.isLocalTime ? column.title.replace('(UTC)', '(local)') : column.title
    const width = rows.reduce((width, row) => Math.max(width, displayWidth(row[index] ?? '')), displayWidth(title))
    return { ...column, title, index, width }
  })
  const lines = fold(placed, style.columns).map((columns, at) => {
    const indent = at === 0 ? '' : INDENT
    return layOut(style, columns, rows, style.columns - indent.length).map(line => `${indent}${line}`)
  })
  return [...Array(rows.length + 1).keys()].map(row => lines.map(line => line[row] ?? ''))
}

/** Puts as many columns on each line as fit. */
function fold(columns: readonly Placed[], room: number): Placed[][] {
  const lines: Placed[][] = []
  let taken = 0
  for (const column of columns) {
    const needed = column.flexible ? Math.min(column.width, column.least ?? LEAST_FLEXIBLE) : column.width
    const line = lines.at(-1)
    if (line && taken + GAP + needed <= room) {
      line.push(column)
      taken += GAP + needed
    } else {
      lines.push([column])
      taken = (line ? INDENT.length : 0) + needed
    }
  }
  return lines
}

function layOut(
  { paint }: TerminalStyle,
  columns: readonly Placed[],
  rows: readonly string[][],
  room: number,
): string[] {
  const fixed = columns.reduce((sum, { flexible, width }) => sum + GAP + (flexible ? 0 : width), -GAP)
  const widths = columns.map(({ flexible, width }) => (flexible ? Math.min(width, Math.max(room - fixed, 1)) : width))
  const placeholders = new Placeholders()
  const layout = new Table({
    head: columns.map(({ title }) => paint.dim(title)),
    colWidths: widths.map(width => width + GAP),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP, compact: true },
    chars: NO_LINES,
  })
  for (const row of rows) {
    layout.push(columns.map(({ index }, at) => placeholders.put(cutToWidth(row[index] ?? '', widths[at] ?? 0))))
  }
  return layout
    .toString()
    .split('\n')
    .map(line => placeholders.restore(line).trimEnd())
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
