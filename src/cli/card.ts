import { displayWidth } from './display-width.js'
import type { Look } from './look.js'

/** A name and what belongs to it, which may have several lines. Empty ones are left out. */
export type CardRow = readonly [name: string, value: string]

const INDENT = '  '
const GAP = 2

/** A title over names and values, one below the other. */
export function card({ paint }: Look, title: string, rows: readonly CardRow[]): string {
  const shown = rows.filter(([, value]) => value !== '')
  const width = Math.max(0, ...shown.map(([name]) => displayWidth(name))) + GAP
  const continued = `\n${INDENT}${' '.repeat(width)}`
  const lines = shown.map(([name, value]) => {
    return `${INDENT}${paint.dim(name)}${' '.repeat(width - displayWidth(name))}${value.replaceAll('\n', continued)}`
  })
  return [paint.bold(title), ...lines].join('\n')
}

/** As much of a long text as a card holds. */
export function firstLines(text: string, count: number): string {
  const lines = text.split('\n')
  return lines.length <= count ? text : `${lines.slice(0, count).join('\n')}\n… ${lines.length - count} more lines`
}
