import type { TerminalStyle } from './style.js'
import { displayWidth } from './text-width.js'

/** A name and its value, which may have several lines. Rows with an empty value are omitted. */
type CardRow = readonly [name: string, value: string]

const INDENT = '  '
const GAP = 2

/** A title above names and values, one per line. */
export function card({ paint }: TerminalStyle, title: string, rows: readonly CardRow[]): string {
  const shown = rows.filter(([, value]) => value !== '')
  const width = Math.max(0, ...shown.map(([name]) => displayWidth(name))) + GAP
  const continued = `\n${INDENT}${' '.repeat(width)}`
  const lines = shown.map(([name, value]) => {
    return `${INDENT}${paint.dim(name)}${' '.repeat(width - displayWidth(name))}${value.replaceAll('\n', continued)}`
  })
  return [paint.bold(title), ...lines].join('\n')
}

/** Shortens a long text to fit a card. */
export function firstLines(text: string, count: number): string {
  const lines = text.split('\n')
  return lines.length <= count ? text : `${lines.slice(0, count).join('\n')}\n… ${lines.length - count} more lines`
}
