import { cutToWidth, displayWidth } from './display-width.js'
import { eventWords } from './event-summary.js'
import { lineAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'

/** Minimum columns for a readable sentence. */
const LEAST_WORDS = 40
const TIME_OF_DAY = { start: 11, end: 19 }

/** Renders one event as a line of a live feed. */
export function eventLine(event: unknown, { paint, columns }: TerminalStyle): string {
  const time = lineAt(event, 'captured_at').slice(TIME_OF_DAY.start, TIME_OF_DAY.end)
  const source = lineAt(event, 'source')
  const kind = lineAt(event, 'kind')
  const words = eventWords(event)
  const [short, long] = [`${time}  ${source}  `, `${time}  ${source}  ${kind}  `].map(displayWidth)
  // The sentence already says most of what the kind says.
  const hasKind = columns - (long ?? 0) >= LEAST_WORDS
  const room = Math.max(columns - ((hasKind ? long : short) ?? 0), LEAST_WORDS)
  return [paint.dim(time), source, ...(hasKind ? [paint.cyan(kind)] : []), cutToWidth(words, room)].join('  ')
}
